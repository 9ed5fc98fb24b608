/**
 * Keeps of the declarations only the files that the doors lead to. Doors for users without `effect` lead to files that do
 * not name it: the others are copied to `dist/plain` without what does.
 */
import { globSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { exportsOf, plainDeclarations } from "./plainDeclarations.ts"

const { exports }: { exports: Readonly<Record<string, string | { readonly types: string }>> } = JSON.parse(
  readFileSync("package.json", "utf8")
)
const plainDoors = ["dist/promise.d.ts", "dist/aiSdk.d.ts", "dist/testing.d.ts"]
const otherDoors = Object.values(exports)
  .flatMap((door) => (typeof door === "string" ? [] : [join(door.types)]))
  .filter((door) => !plainDoors.includes(door))

const local = /(\bfrom |\bimport\()"(\.[^"]+)"/g
const targetOf = (file: string, path: string) => join(dirname(file), path.replace(/\.(?:js|ts)$/, ".d.ts"))
const importsOf = (file: string, text: string) =>
  [...text.matchAll(local)].map(([, , path = ""]) => targetOf(file, path))

/** The files that some lead to, with their texts. */
const reachedFrom = (doors: ReadonlyArray<string>, read: (file: string) => string): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  const follow = (file: string): void => {
    if (texts.has(file)) return
    const text = read(file)
    texts.set(file, text)
    importsOf(file, text).forEach(follow)
  }
  doors.forEach(follow)
  return texts
}

const read = (file: string) => readFileSync(file, "utf8")
const others = reachedFrom(otherDoors, read)

/** `FILE NAME` of each export that is left out; a further pass leaves out what needs it. */
const gone = new Set<string>()

const isGone = (file: string, name: string): boolean => {
  if (gone.has(`${file} ${name}`)) return true
  const { names, all } = exportsOf(file, read(file))
  return !names.has(name) && all.length > 0 && all.every((path) => isGone(targetOf(file, path), name))
}

const plainTexts = (): ReadonlyMap<string, string> => {
  const texts = reachedFrom(plainDoors, (file) =>
    plainDeclarations(file, read(file), (path, name) => path.startsWith(".") && isGone(targetOf(file, path), name))
  )
  const before = gone.size
  for (const [file, text] of texts) {
    const { names } = exportsOf(file, text)
    for (const name of exportsOf(file, read(file)).names) if (!names.has(name)) gone.add(`${file} ${name}`)
  }
  return gone.size === before ? texts : plainTexts()
}

const plain = plainTexts()

for (const door of plainDoors) {
  const [{ names: before }, { names: after }] = [exportsOf(door, read(door)), exportsOf(door, plain.get(door) ?? "")]
  const missing = [...before].filter((name) => !after.has(name))
  if (missing.length > 0) throw new Error(`${door} cannot export ${missing.join(", ")}: their declarations name effect`)
}

const changed = new Set([...plain].filter(([file, text]) => text !== read(file)).map(([file]) => file))
for (let size = -1; size !== changed.size; ) {
  size = changed.size
  for (const [file, text] of plain) if (importsOf(file, text).some((path) => changed.has(path))) changed.add(file)
}

const placeOf = (file: string) =>
  changed.has(file) && !plainDoors.includes(file) ? join("dist/plain", relative("dist", file)) : file

for (const file of changed) {
  const place = placeOf(file)
  const text = (plain.get(file) ?? "").replaceAll(local, (_, before: string, path: string) => {
    const to = relative(dirname(place), placeOf(targetOf(file, path))).replace(/\.d\.ts$/, ".ts")
    return `${before}"${to.startsWith(".") ? to : `./${to}`}"`
  })
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, text)
}

const stored = new Set([...others.keys(), ...[...plain.keys()].map(placeOf)])
const all = globSync("dist/**/*.d.ts")
for (const file of all) if (!stored.has(file)) rmSync(file)

/** From the innermost. */
const folders = [...new Set(all.flatMap((file) => file.split("/").map((_, at, path) => path.slice(0, at).join("/"))))]
for (const folder of folders.sort().reverse()) {
  if (folder.startsWith("dist/") && readdirSync(folder).length === 0) rmdirSync(folder)
}
