// Compiles the files of a folder with the Python that the playground runs, and packs them: node compile.mjs PYODIDE ZIP OUT.
import { readFileSync, writeFileSync } from "node:fs";

const [pyodide, source, out] = process.argv.slice(2);
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: pyodide });
python.FS.writeFile("/source.zip", readFileSync(source));
python.runPython(`
import compileall, pathlib, py_compile, shutil
shutil.unpack_archive("/source.zip", "/package")
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir("/package", quiet=1, legacy=True, optimize=2, invalidation_mode=unchecked)
for path in pathlib.Path("/package").rglob("*.py"):
    path.unlink()
shutil.make_archive("/package", "zip", "/package")
`);
writeFileSync(out, python.FS.readFile("/package.zip"));
