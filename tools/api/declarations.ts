/** Reads a file of declarations: what it declares, imports and exports, and each declaration as text for a report. */
import { parseSync } from "rolldown/utils"

/** A name of another module. `name` is `*` for all of its names as one. */
export interface Source {
  readonly module: string
  readonly name: string
}

export interface Exported {
  /** A name of the file itself, or of another module. */
  readonly from: string | Source
  /** Exported as a type alone. */
  readonly isType: boolean
}

export interface Declaration {
  readonly isValue: boolean
  readonly isType: boolean
  /** Without comments, `export` and `declare`. */
  readonly text: string
  /** Names of the file, and of other modules, that it needs. */
  readonly uses: ReadonlyArray<string | Source>
}

export interface DeclarationFile {
  readonly declarations: ReadonlyMap<string, ReadonlyArray<Declaration>>
  readonly imports: ReadonlyMap<string, Source>
  readonly exports: ReadonlyMap<string, Exported>
  /** Modules all of whose names are exported. */
  readonly all: ReadonlyArray<{ readonly module: string; readonly isType: boolean }>
}

// biome-ignore lint/suspicious/noExplicitAny: a node of the syntax tree, of any kind
type Node = any

const parse = (file: string, text: string) => {
  const parsed = parseSync(file, text, { sourceType: "module", lang: "dts" })
  if (parsed.errors[0] !== undefined) throw new Error(`${file}: ${parsed.errors[0].message}`)
  return parsed
}

const childrenOf = (node: Node): ReadonlyArray<Node> =>
  Object.values(node)
    .flat()
    .filter((child: Node) => typeof child?.type === "string")
    .sort((a: Node, b: Node) => a.start - b.start)

const isLocal = (module: string) => module.startsWith(".")

const isPrivate = ({ type, accessibility, key }: Node) =>
  /^(?:PropertyDefinition|MethodDefinition)$/.test(type) &&
  (accessibility === "private" || key?.type === "PrivateIdentifier")

const nameOf = (node: Node): string | undefined => (node?.type === "Identifier" ? node.name : undefined)

/** The first name of `a.b.c`. */
const firstOf = (node: Node): Node => (node?.type === "TSQualifiedName" ? firstOf(node.left) : node)

/** The text of a type or declaration: unions sorted, the longer ones with a line for each member; no private members. */
const render = (text: string, node: Node, parent?: Node): string => {
  const inner = () => {
    let at = node.start
    let result = ""
    for (const child of childrenOf(node)) {
      // Shorthand: the same text twice.
      if (child.start < at) continue
      result += text.slice(at, child.start) + render(text, child, node)
      at = child.end
    }
    return result + text.slice(at, node.end)
  }
  if (isPrivate(node)) return ""
  if (node.type === "TSUnionType") {
    const isAbsent = (member: string) => member === "undefined" || member === "null"
    const sorted = node.types.map((type: Node) => render(text, type, node)).sort()
    const present = sorted.filter((member: string) => !isAbsent(member))
    const members = [...present, ...sorted.filter(isAbsent)]
    if (parent?.type !== "TSTypeAliasDeclaration" && present.length <= 2) return members.join(" | ")
    const end = /^TS(?:TypeParameterInstantiation|ParenthesizedType)$/.test(parent?.type) ? "\n" : ""
    return `${members.map((member: string) => `\n| ${member}`).join("")}${end}`
  }
  // The fields of another error stand where it is declared.
  if (
    node.type === "TSTypeReference" &&
    nameOf(node.typeName) === "ErrorClass" &&
    parent?.type !== "TSTypeAnnotation"
  ) {
    const error = nameOf(node.typeArguments?.params[0]?.typeName)
    if (error !== undefined) return `ErrorClass<${error}, …>`
  }
  // The path that the compiler chose is not a part of the type.
  if (node.type === "TSImportType" && isLocal(node.source.value) && node.qualifier != null) {
    if (nameOf(node.qualifier) === "ErrorClass" && parent?.type !== "TSTypeAnnotation") {
      return render(text, { ...node, type: "TSTypeReference", typeName: node.qualifier }, parent)
    }
    const args = node.typeArguments == null ? "" : render(text, node.typeArguments, node)
    return text.slice(node.qualifier.start, node.qualifier.end) + args
  }
  return inner()
}

/** Indents by brackets, two spaces for each line that is left open, and drops empty lines. */
const indent = (text: string): string => {
  const open: Array<{ readonly depth: number; readonly bracket: string }> = []
  const lines: Array<string> = []
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "") continue
    const brackets = line.replaceAll(/"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|=>/g, "")
    const closing = /^[)\]}>]*/.exec(line)?.[0].length ?? 0
    const last = open.at(-1)
    const isContinued = line.startsWith("|") && (last === undefined || last.bracket === "{")
    const depth =
      closing > 0 ? (open.at(-closing)?.depth ?? 0) : (last === undefined ? 0 : last.depth + 1) + (isContinued ? 1 : 0)
    for (const bracket of brackets) {
      if (/[([{<]/.test(bracket)) open.push({ depth, bracket })
      else if (/[)\]}>]/.test(bracket)) open.pop()
    }
    lines.push("  ".repeat(depth) + line)
  }
  return lines.join("\n").replaceAll(/ +$/gm, "")
}

const usesOf = (node: Node): ReadonlyArray<string | Source> => {
  const own = (): ReadonlyArray<string | Source> => {
    if (node.type === "TSImportType") {
      return [{ module: node.source.value, name: nameOf(firstOf(node.qualifier)) ?? "*" }]
    }
    const used =
      node.type === "TSTypeReference"
        ? node.typeName
        : node.type === "TSTypeQuery"
          ? node.exprName
          : /^TS(?:InterfaceHeritage|ClassImplements)$/.test(node.type)
            ? node.expression
            : /^Class/.test(node.type)
              ? node.superClass
              : node.computed === true
                ? node.key
                : undefined
    const name = nameOf(firstOf(used?.type === "MemberExpression" ? used.object : used))
    return name === undefined ? [] : [name]
  }
  return isPrivate(node) ? [] : [...own(), ...childrenOf(node).flatMap(usesOf)]
}

const values = /^(?:VariableDeclaration|ClassDeclaration|FunctionDeclaration|TSDeclareFunction|TSEnumDeclaration)$/
const types = /^(?:ClassDeclaration|TSInterfaceDeclaration|TSTypeAliasDeclaration|TSEnumDeclaration)$/

/** The part of a Schema or an error class that repeats the type of the same name. */
const fieldsOf = ({ id }: Node): Node | undefined => {
  const type = id.typeAnnotation?.typeAnnotation
  const name = nameOf(type?.type === "TSImportType" ? type.qualifier : firstOf(type?.typeName))
  return name === "Schema" || name === "ErrorClass" ? (type.typeArguments ?? undefined) : undefined
}

const declarationsIn = (
  text: string,
  node: Node,
  shapes: ReadonlySet<string>
): ReadonlyArray<readonly [name: string, declaration: Declaration]> => {
  const isValue = values.test(node.type)
  const isType = types.test(node.type)
  const declarators = node.type === "VariableDeclaration" ? node.declarations : [node]
  return declarators.flatMap((each: Node) => {
    const name = nameOf(each.id)
    if (name === undefined) return []
    const keyword = node.type === "VariableDeclaration" ? `${node.kind} ` : ""
    const fields = shapes.has(name) && node.type === "VariableDeclaration" ? fieldsOf(each) : undefined
    const before = fields && text.slice(each.start, fields.start).replace(/import\("\.[^"]*"\)\./, "")
    const whole = before === undefined ? render(text, each) : `${before}<…>`
    const own = (keyword + whole).replace(/^declare /, "").replace(/;$/, "")
    return [[name, { isValue, isType, text: indent(own), uses: usesOf(each) }] as const]
  })
}

export const readDeclarations = (file: string, commented: string): DeclarationFile => {
  const { comments } = parse(file, commented)
  const text = comments.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), commented)

  const declarations = new Map<string, Array<Declaration>>()
  const imports = new Map<string, Source>()
  const exports = new Map<string, Exported>()
  const all: Array<DeclarationFile["all"][number]> = []
  const body: ReadonlyArray<Node> = parse(file, text).program.body
  const shapes = new Set<string>(
    body.flatMap((node) => {
      const { type, id, start, end } = node.declaration ?? node
      const isShape = type === "TSInterfaceDeclaration" || type === "TSTypeAliasDeclaration"
      return isShape && !text.slice(start, end).includes(`typeof ${id.name}.`) ? [id.name] : []
    })
  )
  const declare = (node: Node, isExported: boolean) => {
    for (const [name, declaration] of declarationsIn(text, node, shapes)) {
      declarations.set(name, [...(declarations.get(name) ?? []), declaration])
      if (isExported) exports.set(name, { from: name, isType: false })
    }
  }
  for (const node of body) {
    const isType = node.exportKind === "type"
    const module = node.source?.value
    if (node.type === "ImportDeclaration") {
      for (const { local, imported } of node.specifiers)
        imports.set(local.name, { module, name: imported?.name ?? "*" })
    } else if (node.type === "ExportAllDeclaration" && node.exported === null) all.push({ module, isType })
    else if (node.type === "ExportAllDeclaration") {
      exports.set(node.exported.name, { from: { module, name: "*" }, isType })
    } else if (node.type === "ExportNamedDeclaration") {
      for (const { local, exported, exportKind } of node.specifiers) {
        const from = module === undefined ? local.name : { module, name: local.name }
        exports.set(exported.name, { from, isType: isType || exportKind === "type" })
      }
      if (node.declaration !== null) declare(node.declaration, true)
    } else declare(node, false)
  }
  return { declarations, imports, exports, all }
}
