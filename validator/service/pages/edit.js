// Line numbers and colours in the fields of the forms; without this script they are plain fields.
// Behind each field lies a copy of its text, which has both; the field's own letters are transparent.
"use strict";
(() => {
  const MOST = 200000; // characters; a longer text stays plain
  const WORD = /(;.*)|(:[\w-]+|(?<=\()(?:define|domain|problem)\b)|(\?[^\s()]+)/gi;
  const KINDS = ["", "rem", "key", "var"];
  const UNCOLOURED = /^(flow|trace|records|questions|text|body.*)$/;

  function row(text, isColoured) {
    const line = document.createElement("span");
    line.className = "line";
    let done = 0;
    for (const found of isColoured ? text.matchAll(WORD) : []) {
      const word = document.createElement("span");
      word.className = KINDS[found.findIndex((part, n) => n > 0 && part !== undefined)];
      word.textContent = found[0];
      line.append(text.slice(done, found.index), word);
      done = found.index + found[0].length;
    }
    line.append(text.slice(done) + "\n");
    return line;
  }

  // Make the rows of the copy those of the text again: only the lines between what is the same at both ends are new.
  function update(copy, field, isColoured) {
    const lines = field.value.length > MOST ? [] : field.value.split("\n");
    const editor = field.parentNode;
    editor.classList.toggle("plain", !lines.length);
    editor.style.setProperty("--digits", String(Math.max(lines.length, 10)).length);
    const old = copy.lines, least = Math.min(old.length, lines.length);
    let start = 0, end = 0;
    while (start < least && old[start] === lines[start]) start++;
    while (end < least - start && old[old.length - 1 - end] === lines[lines.length - 1 - end]) end++;
    for (let n = old.length - end - 1; n >= start; n--) copy.children[n].remove();
    const after = copy.children[start] ?? null;
    for (const text of lines.slice(start, lines.length - end)) copy.insertBefore(row(text, isColoured), after);
    copy.lines = lines;
  }

  for (const field of document.querySelectorAll("textarea")) {
    const isColoured = !UNCOLOURED.test(field.id);
    const editor = document.createElement("div"), behind = document.createElement("pre");
    const copy = document.createElement("div");
    editor.className = "editor";
    behind.setAttribute("aria-hidden", "true");
    behind.append(copy);
    copy.lines = [];
    field.replaceWith(editor);
    editor.append(behind, field);
    field.wrap = "off";
    const scroll = () => { behind.scrollTop = field.scrollTop; behind.scrollLeft = field.scrollLeft; };
    const renew = () => { update(copy, field, isColoured); scroll(); };
    field.addEventListener("input", renew);
    field.addEventListener("scroll", scroll);
    field.form?.addEventListener("reset", () => setTimeout(renew));
    addEventListener("pageshow", renew); // a browser may fill the field in again when one comes back
    renew();
  }
})();
