// The workbench: forms made of data, questions asked of a backend, answers shown as elements. What comes from outside
// becomes text (textContent) and nothing else.
import { ask, links, ready } from "./backend.js";
import { editor } from "./editor.js";

const PAUSE = 400; // milliseconds after the last key
const SVG = "http://www.w3.org/2000/svg";
const DOMAIN = /^\(\s*define\s*\(\s*domain\s+([^\s()]+)/i, PROBLEM = /^\(\s*define\s*\(\s*problem/i;
const PDDL = ["domain", "problem", "animation"];
const ANIMATION = /^\(\s*define\s*\(\s*animation/i;
const TRACE = /^(?:[[{]|Thought|Action)/i; // JSON, or what ReAct prints
const at = (id) => document.getElementById(id);
const { models, pages } = await (await fetch("workbench.json")).json();
const values = {}; // the texts of all fields, by name: questions about the same model share it
let page, editors, typing, asking, downloads = [];

// --- elements ---

function node(tree, parent) {
  if (typeof tree === "string") return document.createTextNode(tree);
  const [tag, attributes, ...children] = tree;
  const isSvg = tag === "svg" || (parent?.namespaceURI === SVG);
  const made = isSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.map((child) => node(child, made)));
  return made;
}

const nodes = (trees) => trees.map((tree) => node(tree));
const bare = (text) => text.replace(/;[^\n]*/g, "").trimStart();

// --- forms ---

function open(name, texts = {}) {
  page = pages.find((one) => one.name === name) ?? pages[0];
  editors = {};
  asking?.abort();
  Object.assign(values, texts);
  for (const link of at("pages").children) link.toggleAttribute("aria-current", link.hash === `#${page.name}`);
  at("title").textContent = page.title;
  at("about").textContent = page.about;
  at("ask").textContent = page.action;
  at("example").replaceChildren(new Option("Choose one", ""), ...page.examples.map((one, place) => new Option(one.name, place)));
  for (const [part, place] of [["model", at("model").lastChild], ["main", at("fields")], ["option", at("options").lastChild]])
    place.replaceChildren(...page.fields.filter((one) => one.part === part).map(control));
  at("model").hidden = !page.fields.some((one) => one.part === "model");
  at("options").open = page.fields.some((one) => one.part === "option" && value(one) !== one.value);
  clear();
  at("model").open = !named() && !values.flow && page.live;
}

const value = (field) => values[field.name] ?? field.value;

function control(field) {
  const around = document.createElement("div"), id = `field-${field.name}`;
  const label = node(["label", { for: id }, field.label]), words = node(["span", { class: "why", id: `${id}-words` }, field.words]);
  const isArea = ["area", "texts"].includes(field.kind);
  const input = document.createElement(isArea ? "textarea" : field.kind === "choice" ? "select" : "input");
  if (field.kind === "flag") {
    input.type = "checkbox";
    input.checked = value(field) === "yes";
    label.className = "inline";
  } else if (field.kind === "choice") {
    input.append(...(field.value ? [] : [new Option("default", "")]), ...field.choices.map((one) => new Option(one, one)));
    input.value = value(field);
  } else {
    input.value = value(field);
  }
  input.id = id;
  input.spellcheck = false;
  input.autocapitalize = "off";
  input.setAttribute("aria-describedby", words.id);
  input.addEventListener("input", () => {
    values[field.name] = field.kind === "flag" ? (input.checked ? "yes" : "no") : input.value;
    changed();
  });
  if (!isArea) {
    around.append(...(field.kind === "flag" ? [input, " ", label] : [label, input]), words);
    return around;
  }
  input.rows = field.part === "main" ? (page.live ? 14 : 8) : ["domain", "problem"].includes(field.name) ? 12 : 4;
  editors[field.name] = editor(input, PDDL.includes(field.name));
  editors[field.name].set(value(field));
  around.append(label, words, editors[field.name].around);
  return around;
}

function named() {
  const domain = DOMAIN.exec(bare(values.domain ?? ""))?.[1];
  at("model").firstChild.textContent = domain ? `Model: ${domain}` : "Model";
  return domain;
}

function fill(number) {
  const { model, ...own } = page.examples[number].fields, texts = { ...models[model], ...own };
  for (const field of page.fields) values[field.name] = texts[field.name] ?? field.value;
  at("files").value = "";
  open(page.name);
  at("example").value = number;
}

function changed() {
  clearTimeout(typing);
  named();
  at("answer").classList.add("stale");
  if (page.live) typing = setTimeout(run, PAUSE);
}

async function take(files) {
  const main = page.fields.filter((one) => one.part === "main").map((one) => one.name), texts = {};
  for (const file of files) {
    const text = await file.text(), head = bare(text);
    if (text.includes("\0")) return say(`${file.name} is not UTF-8 text.`, "no");
    const other = main.includes("trace") && !TRACE.test(head) ? "plan" : main[0];
    const name = DOMAIN.test(head) ? "domain" : PROBLEM.test(head) ? "problem" : ANIMATION.test(head) ? "animation" : other;
    texts[name] = text;
  }
  const isOther = texts.domain && DOMAIN.exec(bare(texts.domain))[1] !== named();
  if (texts.domain) // a new model begins without the pictures and the options of the last one, another one without its plan
    for (const field of page.fields)
      if (field.part === "option" || ["animation", "flow"].includes(field.name) || (isOther && field.part === "main")) values[field.name] = field.value;
  open(page.name, texts);
  look();
}

// --- answers ---

function say(text, kind = "") {
  at("status").textContent = text;
  at("status").className = kind;
}

// Below its label a field says what it takes, or what is wrong with it.
function explain(field, problem = "") {
  const words = at(`field-${field.name}-words`);
  words.textContent = problem || field.words;
  words.classList.toggle("no", problem !== "");
}

function clear() {
  document.title = `${page.title} · plan-validator`;
  at("answer").classList.remove("stale");
  for (const one of downloads.splice(0)) URL.revokeObjectURL(one);
  for (const id of ["result", "reading", "files-out"]) at(id).replaceChildren();
  delete at("result").dataset.verdict;
  for (const one of Object.values(editors)) one.mark([]);
  page.fields.forEach((one) => explain(one));
  say("");
}

// On a phone the result stands below the form: what asks for it leads to it.
async function look() {
  await run();
  if (at("answer").getBoundingClientRect().top > innerHeight * 0.8) at("answer").scrollIntoView();
}

async function run() {
  clearTimeout(typing);
  asking?.abort();
  const mine = asking = new AbortController(), started = performance.now();
  const texts = Object.fromEntries(page.fields.map((one) => [one.name, value(one)]).filter(([name, text]) => text !== ""));
  const asked = page.fields.filter((one) => one.part === "main" && one.kind !== "choice");
  if (!asked.some((one) => texts[one.name])) {
    clear();
    return say(`${asked[0].label}: nothing is there yet. Paste it, drop a file, or choose an example.`);
  }
  say("Loading...", "busy");
  try {
    await ready;
    say("Working...", "busy");
    const answer = await ask(page.name, texts, mine.signal);
    if (mine.signal.aborted) return;
    clear();
    show(answer);
    const took = performance.now() - started;
    say(`Answered in ${took < 1000 ? `${Math.ceil(took)} ms` : `${(took / 1000).toFixed(1)} s`}.`);
  } catch (problem) {
    if (mine.signal.aborted) return;
    clear();
    fail(problem);
  }
}

function show(answer) {
  at("result").append(...nodes(answer.body));
  if (answer.reading) at("reading").append(node(["h2", {}, "How the text was read"]), ...nodes(answer.reading));
  at("result").dataset.verdict = answer.verdict ?? "";
  const diff = answer.report?.plan_diff_str ?? "";
  at("result").dataset.diff = diff;
  document.title = `${answer.title}${named() ? `: ${named()}` : ""} · plan-validator`;
  const marks = Object.groupBy(answer.marks ?? [], ([name]) => name);
  for (const [name, found] of Object.entries(marks)) editors[name]?.mark(found.map(([, line, kind]) => [line, kind]));
  choose();
  const json = () => `${JSON.stringify(answer.report, null, 2)}\n`;
  offer({ ...(answer.report && { "report.json": json }), ...(diff && { "plan.diff": () => diff }), "report.html": alone });
}

function fail(problem) {
  const { title = "No answer", detail = String(problem), source, line, column } = problem;
  const place = source ? `${source}${line ? `, line ${line}, column ${column}` : ""}: ` : "";
  at("result").append(node(["div", { class: "verdict unknown" }, ["strong", {}, title], ["p", {}, `${place}${detail}`]]));
  at("result").dataset.verdict = "error";
  document.title = `${title} · plan-validator`;
  if (line) editors[source]?.mark([[line, "wrong"]]);
  for (const one of page.fields) if (one.name === source) explain(one, `${line ? `line ${line}: ` : ""}${detail}`);
  if (PDDL.includes(source)) at("model").open = true;
}

// Each changed line of the diff is taken or refused; what is taken makes the plan.
function choose() {
  const rows = [...at("result").querySelectorAll("table.diff tbody tr")];
  if (!rows.length || !("plan" in editors)) return;
  const boxes = rows.filter((row) => row.className !== "same").map((row) => {
    const box = node(["input", { type: "checkbox", checked: "", "aria-label": `take ${row.cells[2].textContent} ${row.querySelector("code").textContent}` }]);
    row.cells[2].prepend(box, " ");
    box.onchange = () => { row.classList.toggle("refused", !box.checked); tell(); };
    return box;
  });
  const use = node(["button", { type: "button" }, "Use this plan"]), said = node(["span", { class: "why" }]);
  const tell = () => { said.textContent = `${boxes.filter((box) => box.checked).length} of ${boxes.length} changes taken`; };
  use.onclick = () => { values.plan = plan(rows); editors.plan.set(values.plan); run(); };
  rows.at(-1).closest("section").append(node(["div", { class: "choice" }]));
  rows.at(-1).closest("section").lastChild.append(use, said);
  tell();
}

function plan(rows) {
  const kept = (row) => row.classList.contains("same") || row.classList.contains("add") !== row.classList.contains("refused");
  return rows.filter(kept).map((row) => `${row.querySelector("code").textContent}\n`).join("");
}

// Files are made when they are asked for.
function offer(files) {
  const made = Object.entries(files).map(([name, text]) => {
    const link = node(["a", { download: name, href: "#" }, name]);
    link.onclick = async (event) => {
      if (link.href.startsWith("blob:")) return;
      event.preventDefault();
      downloads.push(link.href = URL.createObjectURL(new Blob([await text()])));
      link.click();
    };
    return link;
  });
  at("files-out").append("Download: ", ...made.flatMap((link, place) => (place ? [" · ", link] : [link])));
}

async function alone() {
  const style = await (await fetch("style.css")).text();
  const result = at("result").cloneNode(true);
  for (const one of result.querySelectorAll("input, .choice")) one.remove();
  const title = node(["title", {}, document.title]).outerHTML;
  return `<!doctype html><html lang="en"><meta charset="utf-8">${title}<style>${style}</style><main>${result.outerHTML}</main></html>`;
}

// --- a case in the fragment of the address: it is never sent to a server ---

async function packed(value) {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

async function share() {
  const texts = page.fields.filter((one) => value(one) !== one.value).map((one) => [one.name, value(one)]);
  history.replaceState(null, "", `#${page.name}=${await packed(Object.fromEntries(texts))}`);
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is in the clipboard.");
  } catch {
    say("The link is in the address of this page.");
  }
}

async function follow() {
  const [name, text] = location.hash.slice(1).split("=");
  let texts = null;
  try {
    if (text) texts = await unpacked(text);
  } catch {
    say("The link is broken.", "no");
  }
  open(name, texts ?? {});
  const isEmpty = !page.fields.some((one) => one.part === "main" && one.kind !== "choice" && value(one));
  if (isEmpty) fill(0);
  if (texts || page.live) run();
}

// --- what is there from the beginning ---

for (const one of pages) at("pages").append(node(["a", { href: `#${one.name}` }, one.title]));
for (const [title, href] of links) at("pages").append(node(["a", { href }, title]));
at("example").onchange = () => { if (at("example").value) { fill(at("example").value); look(); } };
at("files").onchange = () => take(at("files").files);
at("share").onclick = share;
at("form").onsubmit = (event) => { event.preventDefault(); look(); };
at("result").addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"], a[*|href^="#"]');
  if (!link) return;
  event.preventDefault();
  const target = at(link.getAttribute("href").slice(1));
  if (!target) return;
  for (const one of document.querySelectorAll(".target")) one.classList.remove("target");
  for (let around = target; around; around = around.parentElement) if (around.tagName === "DETAILS") around.open = true;
  target.classList.add("target");
  target.scrollIntoView({ block: "center" });
});
addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("over"); });
addEventListener("dragleave", () => document.body.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  take(event.dataTransfer.files);
});
addEventListener("hashchange", follow);
await follow();
ready.catch((error) => say(`Python cannot be loaded: ${error}`, "no"));
