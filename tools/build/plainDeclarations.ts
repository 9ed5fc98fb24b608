/**
 * Declarations for users without `effect`, pure: leaves out what names it, such as the Schema beside a type, and keeps the
 * type of the same name. That nothing is missing afterwards is tested by the compiler.
 */
import { parseSync } from "rolldown/utils"

interface Statement {
  readonly start: number
  readonly end: number
  /** The names that it declares. */
  readonly names: ReadonlyArray<string>
  readonly isValue: boolean
  /** The names that it uses, but for those in `typeof name`. */
  readonly uses: ReadonlySet<string>
  /** The names in `typeof name`. */
  readonly queries: ReadonlySet<string>
}

const isOfEffect = (path: string) => /^@?effect(?:\/|$)/.test(path)

// biome-ignore lint/suspicious/noExplicitAny: a node of the syntax tree, of any kind
type Node = any

const visit = (node: Node, see: (node: Node, parent: Node, key: string) => void, parent?: Node, key = ""): void => {
  if (Array.isArray(node)) for (const each of node) visit(each, see, parent, key)
  else if (typeof node?.type === "string") {
    see(node, parent, key)
    for (const [name, value] of Object.entries(node)) if (typeof value === "object") visit(value, see, node, name)
  }
}

/** Names of members mean nothing in the file. */
const isMember = (parent: Node, key: string) =>
  (key === "key" && parent.computed !== true) || (key === "right" && parent.type === "TSQualifiedName")

const values = /^(?:VariableDeclaration|ClassDeclaration|FunctionDeclaration|TSDeclareFunction)$/

const namesOf = (declaration: Node): ReadonlyArray<string> =>
  declaration.type === "VariableDeclaration"
    ? declaration.declarations.map(({ id }: Node) => id.name)
    : [declaration.id?.name].filter((name) => name !== undefined)

const statementOf = (node: Node, start: number): Statement => {
  const declaration = node.declaration ?? node
  const uses = new Set<string>()
  const queries = new Set<string>()
  visit(declaration, (each, parent, key) => {
    if (each.type === "TSImportType" && isOfEffect(each.source.value)) uses.add("effect")
    if (each.type === "Identifier" && !isMember(parent, key)) {
      const isQuery = parent?.type === "TSTypeQuery" || (parent?.type === "TSQualifiedName" && key === "left")
      ;(isQuery ? queries : uses).add(each.name)
    }
  })
  return { start, end: node.end, names: namesOf(declaration), isValue: values.test(declaration.type), uses, queries }
}

/** Leaves out statements that use names of `effect`, then those that use their names, until none does. */
const withoutEffect = (all: ReadonlyArray<Statement>, ofEffect: ReadonlySet<string>): ReadonlyArray<Statement> => {
  const declared = new Set(all.flatMap(({ names }) => names))
  let left = all
  for (;;) {
    const present = new Set(left.flatMap(({ names }) => names))
    const presentValues = new Set(left.flatMap(({ names, isValue }) => (isValue ? names : [])))
    const isGone = (name: string) => ofEffect.has(name) || (declared.has(name) && !present.has(name))
    const isValueGone = (name: string) => ofEffect.has(name) || (declared.has(name) && !presentValues.has(name))
    const next = left.filter(({ uses, queries }) => ![...uses].some(isGone) && ![...queries].some(isValueGone))
    if (next.length === left.length) return left
    left = next
  }
}

const parse = (file: string, text: string): ReadonlyArray<Node> => {
  const { program, errors } = parseSync(file, text, { sourceType: "module", lang: "dts" })
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`)
  return program.body
}

/** The names that a file exports, and the modules all of whose names it exports. */
export const exportsOf = (file: string, text: string) => {
  const names = new Set<string>()
  const all: Array<string> = []
  for (const node of parse(file, text)) {
    if (node.type === "ExportAllDeclaration" && node.exported === null) all.push(node.source.value)
    else if (node.type === "ExportAllDeclaration") names.add(node.exported.name)
    else if (node.type === "ExportNamedDeclaration") {
      for (const { exported } of node.specifiers) names.add(exported.name)
      if (node.declaration !== null) for (const name of namesOf(node.declaration)) names.add(name)
    }
  }
  return { names, all }
}

/** The text of a file of declarations, without what names `effect`, or a name that is gone from another file. */
export const plainDeclarations = (
  file: string,
  text: string,
  isGone: (module: string, name: string) => boolean
): string => {
  const nodes = parse(file, text)
  const imports = nodes.filter(({ type }) => type === "ImportDeclaration")
  const ofEffect = new Set<string>(["effect"])
  for (const { source, specifiers } of imports) {
    for (const { local, imported } of specifiers) {
      if (isOfEffect(source.value) || (imported && isGone(source.value, imported.name))) ofEffect.add(local.name)
    }
  }
  const statements = nodes.flatMap((node, at) =>
    node.type === "ImportDeclaration" || node.source != null
      ? []
      : [statementOf(node, nodes[at - 1]?.end ?? node.start)]
  )
  const left = withoutEffect(statements, ofEffect)
  const handedOn = nodes.filter(
    ({ type, source, specifiers }) =>
      type === "ExportNamedDeclaration" &&
      source != null &&
      specifiers.some(({ local }: Node) => isGone(source.value, local.name))
  )
  if (left.length === statements.length && handedOn.length === 0) return text
  const used = new Set(left.flatMap(({ uses, queries }) => [...uses, ...queries]))

  const edits: Array<readonly [start: number, end: number, text: string]> = statements
    .filter((statement) => !left.includes(statement))
    .map(({ start, end }) => [start, end, ""])
  for (const { start, end, source, specifiers, importKind } of imports) {
    const needed = specifiers.filter(({ local }: Node) => used.has(local.name) && !isOfEffect(source.value))
    if (needed.length === specifiers.length) continue
    const names = needed.map((each: Node) => text.slice(each.start, each.end)).join(", ")
    const kind = importKind === "type" ? "type " : ""
    edits.push([start, end, needed.length === 0 ? "" : `import ${kind}{ ${names} } from ${source.raw};`])
  }
  for (const { start, end, source, specifiers, exportKind } of handedOn) {
    const needed = specifiers.filter(({ local }: Node) => !isGone(source.value, local.name))
    const names = needed.map((each: Node) => text.slice(each.start, each.end)).join(", ")
    const kind = exportKind === "type" ? "type " : ""
    edits.push([start, end, needed.length === 0 ? "" : `export ${kind}{ ${names} } from ${source.raw};`])
  }
  edits.sort(([a], [b]) => b - a)
  return edits.reduce((rest, [start, end, instead]) => rest.slice(0, start) + instead + rest.slice(end), text)
}
