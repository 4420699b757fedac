// The questions are asked of Python in a worker beside the page. A check that takes too long is ended with the worker.
// milliseconds that a check may take; ?patience=N says otherwise
const PATIENCE = Number(new URLSearchParams(location.search).get("patience")) || 20000;
export const links = [];
let worker, number = 0;
const waiting = new Map();

// Start Python; what is waited for is that it is there.
function begin() {
  worker = new Worker("worker.js", { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data: { number, ready, answer, failed } }) => {
      if (ready) return resolve();
      const asked = waiting.get(number) ?? { reject };
      waiting.delete(number);
      const found = answer ? JSON.parse(answer) : { problem: { title: "Python failed", detail: failed } };
      if (found.problem) asked.reject(found.problem);
      else asked.resolve?.(found);
    };
  });
}

export const ready = begin();
let loaded = ready;

export async function ask(question, texts, signal) {
  await loaded;
  const mine = ++number;
  const timer = setTimeout(() => {
    waiting.get(mine)?.reject({ title: "This takes too long for a browser", detail: "Install the package for larger models." });
    waiting.clear();
    worker.terminate();
    loaded = begin();
  }, PATIENCE);
  try {
    return await new Promise((resolve, reject) => {
      waiting.set(mine, { resolve, reject });
      worker.postMessage({ number: mine, question, texts: JSON.stringify(texts) });
    });
  } finally {
    clearTimeout(timer);
  }
}
