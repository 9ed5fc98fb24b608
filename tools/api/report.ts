/**
 * The report of a door, pure: declarations → the text of `api/DOOR.api.md`. The exported declarations come first, sorted by
 * name; then those that they need and that no door exports, since a change of them is a change for users, too. Comments,
 * paths of files and the order of unions are left out: only a change of the types changes a report.
 */
import { posix } from "node:path"
import { type DeclarationFile, type Exported, readDeclarations, type Source } from "./declarations.ts"

/** The declaration behind all re-exports of a name. */
type Target =
  | { readonly _tag: "Declared"; readonly file: string; readonly name: string }
  | { readonly _tag: "Namespace"; readonly file: string }
  | { readonly _tag: "External"; readonly module: string; readonly name: string }

type Named = readonly [name: string, target: Target, isType: boolean]

/** A declaration and its copy for users without `effect` are one. */
const keyOf = (target: Target) => JSON.stringify(target).replace("/plain/", "/")

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const makeReader = (texts: ReadonlyMap<string, string>) => {
  const files = new Map<string, DeclarationFile>()
  const read = (file: string): DeclarationFile => {
    const known = files.get(file)
    if (known !== undefined) return known
    const text = texts.get(file)
    if (text === undefined) throw new Error(`${file} does not exist: run npm run build`)
    const made = readDeclarations(file, text)
    files.set(file, made)
    return made
  }

  const fileOf = (from: string, module: string) =>
    posix.join(posix.dirname(from), module).replace(/(?:\.d)?\.[jt]s$/, ".d.ts")

  /** The target of a name of another module. */
  const sourced = (from: string, { module, name }: Source): Target | undefined => {
    if (!module.startsWith(".")) return { _tag: "External", module, name }
    const file = fileOf(from, module)
    return name === "*" ? { _tag: "Namespace", file } : exportedAs(file, name)?.[1]
  }

  /** The target of a name within a file. */
  const local = (file: string, name: string): Target | undefined => {
    const { declarations, imports } = read(file)
    if (declarations.has(name)) return { _tag: "Declared", file, name }
    const imported = imports.get(name)
    return imported && sourced(file, imported)
  }

  const targetOf = (file: string, { from }: Exported) =>
    typeof from === "string" ? local(file, from) : sourced(file, from)

  /** The export of a file by its name. */
  const exportedAs = (file: string, name: string) => exportsOf(file).find(([each]) => each === name)

  /** All exports of a file; its own names go before those of `export *`. */
  const exportsOf = (file: string, path: ReadonlyArray<string> = []): ReadonlyArray<Named> => {
    if (path.includes(file)) return []
    const { exports, all } = read(file)
    const found = new Map<string, Named>()
    for (const [name, exported] of exports) {
      const target = targetOf(file, exported)
      if (target === undefined) throw new Error(`${file} exports ${name}, which is declared nowhere`)
      found.set(name, [name, target, exported.isType])
    }
    for (const { module, isType } of all) {
      if (!module.startsWith(".")) {
        found.set(`* from ${module}`, [`* from ${module}`, { _tag: "External", module, name: "*" }, isType])
      } else {
        for (const [name, target, already] of exportsOf(fileOf(file, module), [...path, file])) {
          const known = found.get(name)
          // The same name by two ways: as a value if one of them is.
          if (known === undefined || (known[2] && keyOf(known[1]) === keyOf(target))) {
            found.set(name, [name, target, isType || already])
          }
        }
      }
    }
    return [...found.values()].sort(([a], [b]) => byText(a, b))
  }

  return { read, local, sourced, exportsOf }
}

type Reader = ReturnType<typeof makeReader>

/** The declarations of a name, and what they need. */
const declared = ({ read, local, sourced }: Reader, file: string, name: string, isType: boolean) => {
  const every = read(file).declarations.get(name) ?? []
  const types = every.filter((each) => each.isType)
  const chosen = isType && types.length > 0 ? types : every
  return {
    texts: chosen.map(({ text, isValue }) => (isType && isValue ? `type ${text}` : text)),
    needs: chosen
      .flatMap(({ uses }) => uses)
      .flatMap((use) => (typeof use === "string" ? local(file, use) : sourced(file, use)) ?? [])
  }
}

const nested = (text: string) => text.replaceAll(/^/gm, "  ")

/** Names of the file → as exported. Only where they differ. */
const renamed = (text: string, name: string, as: string) =>
  name === as ? text : text.replace(new RegExp(`\\b${name}\\b`), () => as)

const external = (name: string, target: Target & { readonly _tag: "External" }) => {
  if (name.startsWith("*")) return `* from "${target.module}"`
  if (target.name === "*") return `* as ${name} from "${target.module}"`
  return `{ ${target.name}${target.name === name ? "" : ` as ${name}`} } from "${target.module}"`
}

/** The declarations of a list of exports, and what they need. */
const print = (reader: Reader, exports: ReadonlyArray<Named>) => {
  const needs: Array<Target> = []
  const printed = ([name, target, isType]: Named): ReadonlyArray<string> => {
    const type = isType ? "type " : ""
    if (target._tag === "External") return [type + external(name, target)]
    if (target._tag === "Namespace") {
      const members = reader.exportsOf(target.file).flatMap(printed)
      return [`${type}namespace ${name} {\n${members.map(nested).join("\n")}\n}`]
    }
    const made = declared(reader, target.file, target.name, isType)
    needs.push(...made.needs)
    return made.texts.map((text) => renamed(text, target.name, name))
  }
  return { texts: exports.flatMap(printed), needs }
}

/** The declarations that some need and no door exports, with what these need. */
const reachedFrom = (reader: Reader, first: ReadonlyArray<Target>, exported: ReadonlySet<string>) => {
  const known = new Set(exported)
  const found: Array<readonly [name: string, text: string]> = []
  const needs = [...first]
  for (let need = needs.shift(); need !== undefined; need = needs.shift()) {
    if (need._tag === "External" || known.has(keyOf(need))) continue
    known.add(keyOf(need))
    if (need._tag === "Namespace") needs.push(...reader.exportsOf(need.file).map(([, target]) => target))
    else {
      const { name } = need
      const made = declared(reader, need.file, name, false)
      needs.push(...made.needs)
      for (const text of made.texts) found.push([name, text])
    }
  }
  return found.sort(([a, x], [b, y]) => byText(a, b) || byText(x, y)).map(([, text]) => text)
}

const block = (declarations: ReadonlyArray<string>) => `\`\`\`ts\n${declarations.join("\n\n")}\n\`\`\`\n`

const heading = `The exported types, written by \`npm run api -- --accept\`. \`type class\` and \`type const\` are exported as types alone.\n`

/** Files of declarations, and the file of each door → the report of each door. */
export const reportsOf = (
  texts: ReadonlyMap<string, string>,
  doors: Readonly<Record<string, string>>
): ReadonlyMap<string, string> => {
  const reader = makeReader(texts)
  const entries = Object.entries(doors).map(([door, file]) => [door, reader.exportsOf(file)] as const)

  const exported = new Set<string>()
  const note = ([, target]: Named): void => {
    exported.add(keyOf(target))
    if (target._tag === "Namespace") reader.exportsOf(target.file).forEach(note)
  }
  for (const [, exports] of entries) exports.forEach(note)

  return new Map(
    entries.map(([door, exports]) => {
      const { texts: own, needs } = print(reader, exports)
      const reached = reachedFrom(reader, needs, exported)
      const parts = [
        `# ${door}\n`,
        heading,
        block(own.map((text) => `export ${text}`)),
        ...(reached.length === 0 ? [] : ["## Needed by these, and exported by no door\n", block(reached)])
      ]
      return [door, parts.join("\n")]
    })
  )
}
