// Bundles the front end: static/src → static/dist, same relative names.
//
//   node static/build.mjs            minified, no source maps (what is served)
//   node static/build.mjs --dev      readable, with source maps
//   node static/build.mjs --check    parse and bundle everything, write nothing; warnings fail
//
// Entries keep their names because Django's manifest storage adds the content hash; shared chunks
// carry their own hash because nothing rewrites an import inside a module.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const src = path.join(here, "src");
const dist = path.join(here, "dist");
const options = new Set(process.argv.slice(2));
const dev = options.has("--dev");
const check = options.has("--check");

const pdfjs = path.dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
// The legacy build brings its own polyfills, so that browsers of the last few years work.
const pdfWorker = path.join(pdfjs, "legacy/build/pdf.worker.min.mjs");
// Looked up by PDF.js at run time, by name, below one address.
const pdfAssets = ["cmaps", "standard_fonts", "wasm", "iccs"];

function filesIn(folder, extension) {
  const whole = path.join(src, folder);
  if (!existsSync(whole)) return [];
  return readdirSync(whole)
    .filter((name) => name.endsWith(extension))
    .map((name) => path.join(whole, name));
}

const entries = [
  ...filesIn("js", "main.js"),
  ...filesIn("js/pages", ".js"),
  ...filesIn("css", "main.css"),
];

if (!check) {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
}

const result = await esbuild.build({
  entryPoints: entries,
  outbase: src,
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["es2022", "chrome109", "firefox115", "safari16.4"],
  chunkNames: "js/chunks/[name]-[hash]",
  assetNames: "img/[name]-[hash]",
  alias: { "pdfjs-dist": path.join(pdfjs, "legacy/build/pdf.mjs") },
  loader: { ".svg": "file", ".png": "file", ".woff2": "file" },
  minify: !dev,
  sourcemap: dev,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  write: !check,
});

if (result.warnings.length > 0 && check) process.exit(1);

if (!check) {
  cpSync(pdfWorker, path.join(dist, "js/pdf.worker.mjs"));
  for (const folder of pdfAssets) {
    cpSync(path.join(pdfjs, folder), path.join(dist, "pdfjs", folder), { recursive: true });
  }
  const images = path.join(src, "img");
  if (existsSync(images)) cpSync(images, path.join(dist, "img"), { recursive: true });
}
