/**
 * Checks that comments, texts, names and pages are in plain English, as `npm run lint` does. Arguments are files or folders;
 * by default everything is checked. Exits with 1 if something is wrong.
 */
import { globSync, readFileSync, statSync } from "node:fs"
import { basename, relative } from "node:path"
import { parseSync, Visitor } from "rolldown/utils"

/** Words that a comment may not begin with: a sentence that starts with them has lost its subject. */
const openings = /^(?:What|Whatever|Whoever|Those|Of|That|Undefined:|True:|False:)(?![\w-])/

const phrases: ReadonlyArray<readonly [pattern: RegExp, instead: string]> = [
  [/\b(?:is|was|are|were) no\b(?! longer| more than| less than|t\b)/i, '"is not a", "has no", or name what is missing'],
  [/\b(?:is|are|was|were) none\b/i, '"has none", "is missing" or "is empty"'],
  [/\b(?:nobody|somebody|whoever)\b/i, "the person, the caller, the process: whose part it is"]
]

/** Words that say what happened to a value instead of what it is. */
const bareNames = new Set(
  "shown given asked said told kept wanted heard seen written meant wishes desk sights surely".split(" ")
)

interface Problem {
  readonly file: string
  readonly line: number
  readonly text: string
}

const root = process.cwd()
const problems: Array<Problem> = []

const add = (file: string, line: number, text: string) => problems.push({ file, line, text })

const checkPhrases = (file: string, line: number, text: string) => {
  for (const [pattern, instead] of phrases) {
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) add(file, line, `"${found}" in "${text.trim().slice(0, 100)}": write ${instead}`)
  }
}

/** The text of a comment, without its marks; one string for each line. */
const linesOf = (comment: string) => comment.split("\n").map((line) => line.replace(/^\s*\*? ?/, ""))

const checkComment = (file: string, line: number, comment: string) => {
  const lines = linesOf(comment)
  const first = lines.findIndex((text) => text.trim() !== "")
  const opening = openings.exec(lines[first]?.trim() ?? "")?.[0]
  if (opening !== undefined) {
    add(file, line, `a comment begins with "${opening}": begin with a noun, a verb ("Returns") or an imperative`)
  }
  checkPhrases(file, line, lines.join(" "))
}

const checkName = (file: string, line: number, name: string) => {
  if (bareNames.has(name)) add(file, line, `"${name}" names a value: say what it is`)
}

// biome-ignore lint/suspicious/noExplicitAny: a node of the syntax tree, of any kind
type Node = any

/** Names that a pattern binds. */
const boundIn = (pattern: Node): ReadonlyArray<{ readonly name: string; readonly start: number }> => {
  if (pattern?.type === "Identifier") return [pattern]
  if (pattern?.type === "AssignmentPattern") return boundIn(pattern.left)
  if (pattern?.type === "RestElement") return boundIn(pattern.argument)
  if (pattern?.type === "ArrayPattern") return pattern.elements.flatMap(boundIn)
  if (pattern?.type === "ObjectPattern") {
    return pattern.properties.flatMap((member: Node) => boundIn(member.type === "Property" ? member.value : member))
  }
  return []
}

const checkCode = (file: string) => {
  const code = readFileSync(file, "utf8")
  const lang = /\.[cm]?js$/.test(file) ? "js" : "ts"
  const { program, comments, errors } = parseSync(file, code, { sourceType: "module", lang })
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`)
  const starts = [...code.matchAll(/^/gm)].map(({ index }) => index)
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1

  let end = -1
  let together = ""
  let from = 0
  const flush = () => together !== "" && checkComment(file, lineAt(from), together)
  for (const { type, value, start, end: commentEnd } of comments) {
    const continues = type === "Line" && together !== "" && /^[ \t]*\n[ \t]*$/.test(code.slice(end, start))
    if (continues) together += `\n${value}`
    else {
      flush()
      together = value
      from = start
    }
    end = commentEnd
  }
  flush()

  /** Ends of comments before texts that must stay as they were recorded. */
  const recorded = comments.filter(({ value }) => value.includes("as recorded")).map(({ end: at }) => at)
  const isRecorded = (start: number) => recorded.some((at) => start > at && start < at + 300)

  const names = (pattern: unknown) => {
    for (const { name, start } of boundIn(pattern)) checkName(file, lineAt(start), name)
  }
  const functions = ({ id, params }: Node) => {
    names(id)
    for (const param of params) names(param.type === "TSParameterProperty" ? param.parameter : param)
  }
  const text = ({ value, start }: { readonly value: unknown; readonly start: number }) => {
    if (typeof value === "string" && value.includes(" ") && !isRecorded(start)) checkPhrases(file, lineAt(start), value)
  }
  new Visitor({
    VariableDeclarator: ({ id }) => names(id),
    FunctionDeclaration: functions,
    FunctionExpression: functions,
    ArrowFunctionExpression: functions,
    Literal: text,
    TemplateElement: ({ value, start }) => text({ value: value.cooked, start })
  }).visit(program)
  checkName(file, 1, basename(file).split(".")[0] ?? "")
}

const checkPage = (file: string) => {
  let inCode = false
  for (const [at, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (/^\s*```/.test(line)) inCode = !inCode
    checkPhrases(file, at + 1, line)
  }
}

const folders =
  process.argv.length > 2
    ? process.argv.slice(2)
    : [
        "src",
        "test",
        "tools",
        "bench",
        "examples",
        "docs",
        "decisions",
        ".github",
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CODE_OF_CONDUCT.md"
      ]
const files = folders
  .flatMap((path) => (statSync(path).isDirectory() ? globSync(`${path}/**/*.{ts,js,mjs,md}`) : [path]))
  .filter((file) => !/node_modules\/|\/\.vitepress\/|^tools\/site\/(?:dist|\.cache)\/|\.d\.ts$/.test(file))
  .sort()

for (const file of files) (file.endsWith(".md") ? checkPage : checkCode)(relative(root, file))

for (const { file, line, text } of problems) console.error(`${file}:${line} ${text}`)
if (problems.length > 0) {
  console.error(`${problems.length} places are not in plain English`)
  process.exitCode = 1
}
