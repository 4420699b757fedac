// Python, and the package, beside the page: a check that takes too long is ended with the worker.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const ready = (async () => {
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  const wheels = await (await fetch("wheels.json")).json();
  await Promise.all(wheels.map(async (name) => {
    python.unpackArchive(await (await fetch(name)).arrayBuffer(), "whl");
  }));
  python.runPython(await (await fetch("browser.py")).text());
  postMessage({ ready: true });
  return python.globals.get("ANSWER");
})().catch((error) => postMessage({ failed: String(error) }));

onmessage = async ({ data }) => {
  const answer = await ready;
  try {
    postMessage({ number: data.number, answer: JSON.parse(answer(data.domain, data.problem, data.plan, data.quality)) });
  } catch (error) {
    postMessage({ number: data.number, failed: String(error) });
  }
};
