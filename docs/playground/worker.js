// Python, and the package, beside the page. All files are asked for at once.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const wanted = ["package.zip", "browser.py"].map((name) => fetch(name).then((found) => found.arrayBuffer()));

const ready = (async () => {
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  const [archive, program] = await Promise.all(wanted);
  python.unpackArchive(archive, "zip", { extractDir: "/package" });
  python.runPython("import sys; sys.path.insert(0, '/package')");
  python.runPython(new TextDecoder().decode(program));
  postMessage({ ready: true });
  return python.globals.get("ANSWER");
})();
ready.catch((error) => postMessage({ failed: String(error) }));

onmessage = async ({ data: { number, question, texts } }) => {
  try {
    const answer = await ready;
    postMessage({ number, answer: answer(question, texts) });
  } catch (error) {
    postMessage({ number, failed: String(error) });
  }
};
