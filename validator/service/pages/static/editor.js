// Line numbers, colours and marked lines in a text field. Behind it lies a copy of its text, which has them; the field's
// own letters are transparent.
const MOST = 200000; // characters; a longer text stays plain
const WORD = /(;.*)|(:[\w-]+|(?<=\()(?:define|domain|problem)\b)|(\?[^\s()]+)/gi;
const KINDS = ["", "rem", "key", "var"];

export function editor(field, isPddl) {
  const around = document.createElement("div"), behind = document.createElement("pre"), copy = document.createElement("div");
  let lines = [];
  around.className = "editor";
  behind.setAttribute("aria-hidden", "true");
  behind.append(copy);
  around.append(behind, field);
  field.wrap = "off";
  const scroll = () => { behind.scrollTop = field.scrollTop; behind.scrollLeft = field.scrollLeft; };

  // Only the lines between what is the same at both ends are made anew.
  const renew = () => {
    const now = field.value.length > MOST ? [] : field.value.split("\n");
    around.classList.toggle("plain", !now.length);
    around.style.setProperty("--digits", String(Math.max(now.length, 10)).length);
    const least = Math.min(lines.length, now.length);
    let start = 0, end = 0;
    while (start < least && lines[start] === now[start]) start++;
    while (end < least - start && lines[lines.length - 1 - end] === now[now.length - 1 - end]) end++;
    for (let n = lines.length - end - 1; n >= start; n--) copy.children[n].remove();
    const after = copy.children[start] ?? null;
    for (const text of now.slice(start, now.length - end)) copy.insertBefore(row(text, isPddl), after);
    lines = now;
    scroll();
  };
  const mark = (marks) => {
    for (const line of copy.children) line.className = "line";
    for (const [line, kind] of marks) copy.children[line - 1]?.classList.add(kind);
  };
  field.addEventListener("input", renew);
  field.addEventListener("scroll", scroll);
  return { around, mark, set: (text) => { field.value = text; renew(); } };
}

function row(text, isPddl) {
  const line = document.createElement("span");
  line.className = "line";
  let done = 0;
  for (const found of isPddl ? text.matchAll(WORD) : []) {
    const word = document.createElement("span");
    word.className = KINDS[found.findIndex((part, n) => n > 0 && part !== undefined)];
    word.textContent = found[0];
    line.append(text.slice(done, found.index), word);
    done = found.index + found[0].length;
  }
  line.append(text.slice(done) + "\n");
  return line;
}
