const field = (name) => document.getElementById(name);
const FIELDS = ["domain", "problem", "plan", "quality"];
const PATIENCE = 20000; // milliseconds that a check may take
const PAUSE = 350; // milliseconds after the last key

let worker, timer, typing, number = 0, started;

function begin() {
  worker?.terminate();
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.failed && data.number === undefined) return say(`Python cannot be loaded: ${data.failed}`);
    if (data.ready) return check();
    if (data.number === number) show(data);
  };
}

function say(text, busy = false) {
  field("status").textContent = text;
  field("status").classList.toggle("busy", busy);
}

function check() {
  clearTimeout(timer);
  number += 1;
  started = performance.now();
  say("Checking...", true);
  worker.postMessage({ number, ...Object.fromEntries(FIELDS.map((name) => [name, field(name).value])) });
  timer = setTimeout(() => {
    say("This check takes too long for a browser; Python is being loaded again. Install the package for larger models.");
    begin();
  }, PATIENCE);
}

function show({ answer, failed }) {
  clearTimeout(timer);
  if (failed) return say(`The check failed: ${failed}`);
  field("result").innerHTML = answer.html;
  field("result").dataset.verdict = answer.verdict;
  field("result").dataset.diff = answer.diff ?? "";
  field("result").dataset.planner = answer.needs_planner ?? false;
  say(`Checked in ${Math.max(1, Math.round(performance.now() - started))} ms.`);
}

// A case stands in the fragment of the address, compressed: it is never sent to a server.

async function packed(value) {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_");
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

function put(values) {
  for (const name of FIELDS) if (typeof values[name] === "string") field(name).value = values[name];
}

function changed() {
  clearTimeout(typing);
  typing = setTimeout(check, PAUSE);
}

async function take(files) {
  for (const file of files) {
    const text = await file.text();
    const head = text.replace(/;[^\n]*/g, "").trimStart().slice(0, 200);
    const name = /^\(\s*define\s*\(\s*domain/i.test(head) ? "domain" : /^\(\s*define\s*\(\s*problem/i.test(head) ? "problem" : "plan";
    field(name).value = text;
  }
  changed();
}

const examples = await (await fetch("examples.json")).json();
for (const [place, { name }] of examples.entries()) field("example").add(new Option(name, place));
field("example").onchange = () => { put(examples[field("example").value]); changed(); };
for (const name of FIELDS) field(name).addEventListener("input", changed);
field("files").onchange = () => take(field("files").files);
field("form").onsubmit = (event) => event.preventDefault();
field("share").onclick = async () => {
  location.hash = await packed(Object.fromEntries(FIELDS.map((name) => [name, field(name).value])));
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is in the clipboard.");
  } catch {
    say("The link is in the address of this page.");
  }
};
document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("over"); });
document.addEventListener("dragleave", () => document.body.classList.remove("over"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  take(event.dataTransfer.files);
});

try {
  put(location.hash.length > 1 ? await unpacked(location.hash.slice(1)) : examples[0]);
} catch {
  put(examples[0]);
}
begin();
