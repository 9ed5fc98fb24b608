/** Of the declarations, only those to which the doors lead are kept: the bundles have no module for the others. */
import { globSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"

const { exports }: { exports: Readonly<Record<string, string | { readonly types: string }>> } = JSON.parse(
  readFileSync("package.json", "utf8")
)
const doors = Object.values(exports).flatMap((door) => (typeof door === "string" ? [] : [join(door.types)]))

const importsOf = (text: string) =>
  [...text.matchAll(/\bfrom "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/g)].map(([, from = "", called = ""]) => from || called)

const kept = new Set<string>()
const keep = (file: string): void => {
  if (kept.has(file)) return
  kept.add(file)
  for (const path of importsOf(readFileSync(file, "utf8"))) {
    keep(join(dirname(file), path.replace(/\.(?:js|ts)$/, ".d.ts")))
  }
}
doors.forEach(keep)

const all = globSync("dist/**/*.d.ts")
for (const file of all) if (!kept.has(file)) rmSync(file)

/** From the innermost. */
const folders = [...new Set(all.flatMap((file) => file.split("/").map((_, at, path) => path.slice(0, at).join("/"))))]
for (const folder of folders.sort().reverse()) {
  if (folder.startsWith("dist/") && readdirSync(folder).length === 0) rmdirSync(folder)
}
