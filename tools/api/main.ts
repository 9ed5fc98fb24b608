/**
 * `npm run api` compares the exported types of each door with its report `api/DOOR.api.md`; `--accept` writes the reports,
 * and `--compatible` with it says that lines changed but nothing breaks. It reads what the build left in `dist`.
 *
 * The reports are Markdown with one block of TypeScript, so that reviews have colours and neither compiler nor linter takes
 * them for source. api-extractor needs the classic API of the compiler, which TypeScript 7 does not have.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { compare, hasBreakingNote, messageOf } from "./compare.ts"
import { reportsOf } from "./report.ts"

process.chdir(fileURLToPath(new URL("../..", import.meta.url)))

const readIfPresent = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "")

const { name, exports }: { readonly name: string; readonly exports: Readonly<Record<string, { types?: string }>> } =
  JSON.parse(readFileSync("package.json", "utf8"))

const doors = Object.fromEntries(
  Object.entries(exports).flatMap(([path, { types }]) =>
    types === undefined ? [] : [[path.replace(/^\./, name), join(types)]]
  )
)

/** `reins/testing/effect` → `api/testing-effect.api.md`. */
const fileOf = (door: string) => {
  const path = door.slice(name.length + 1).replaceAll("/", "-")
  return `api/${path === "" ? "index" : path}.api.md`
}

const options = process.argv.slice(2)
const unknown = options.find((option) => option !== "--accept" && option !== "--compatible")
if (unknown !== undefined) {
  console.error(`npm run api does not know ${unknown}. It takes --accept, and --compatible with it.`)
  process.exit(2)
}
const accepts = options.includes("--accept")

const texts = new Map(
  globSync("dist/**/*.d.ts").map((file) => [file.replaceAll("\\", "/"), readFileSync(file, "utf8")])
)
if (texts.size === 0) {
  console.error("dist has no declarations. Run npm run build first.")
  process.exit(2)
}

const reports = new Map([...reportsOf(texts, doors)].map(([door, report]) => [fileOf(door), { door, report }]))
const removed = globSync("api/*.api.md").filter((file) => !reports.has(file.replaceAll("\\", "/")))
const found = [
  ...[...reports].map(([file, { door, report }]) => ({ door, difference: compare(readIfPresent(file), report) })),
  ...removed.map((file) => ({
    door: `${file}, whose door is gone`,
    difference: compare(readFileSync(file, "utf8"), "")
  }))
].flatMap(({ door, difference }) => (difference === undefined ? [] : [{ door, difference }]))

if (found.length === 0) {
  console.log(`The exported types of ${reports.size} doors are those of api/.`)
  process.exit(0)
}

const hasNote = hasBreakingNote(globSync(".changeset/*.md").map((file) => readFileSync(file, "utf8")))
const isBreaking = found.some(({ difference }) => difference.isBreaking)

if (!accepts || (isBreaking && !hasNote && !options.includes("--compatible"))) {
  console.error(messageOf(found, hasNote))
  process.exit(1)
}

mkdirSync("api", { recursive: true })
for (const [file, { report }] of reports) writeFileSync(file, report)
for (const file of removed) rmSync(file)
console.log(`Written: ${found.map(({ door }) => door).join(", ")}.`)
