/**
 * Templates: text with the paths of values of a JSON document in it, such as `{{pull_request.title}}` or `{{commits.0.id}}`;
 * pure. All other text counts as it is.
 */
import { Result } from "effect"

export type TemplatePart =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Value"; readonly path: readonly [string, ...ReadonlyArray<string>] }

export type Template = ReadonlyArray<TemplatePart>

const [open, close] = ["{{", "}}"]
const longestPath = 200
export const mostValues = 20

const isName = (part: string) => /^[\w-]+$/.test(part)

/** The path, or its problem. */
const pathOf = (inside: string): Result.Result<readonly [string, ...ReadonlyArray<string>], string> => {
  const [first = "", ...others] = inside.trim().split(".")
  const isRight = inside.length <= longestPath && [first, ...others].every(isName)
  if (isRight) return Result.succeed([first, ...others])
  const place = JSON.stringify(`${open}${inside.slice(0, 60)}${close}`)
  return Result.fail(
    inside.trim() === ""
      ? `has ${place}, which names no field: write its path, as in {{pull_request.title}}`
      : `has ${place}, which is not a path: names with dots between them, as in {{pull_request.title}} or {{commits.0.id}}`
  )
}

/** The problem follows the name of the template. */
export const parseTemplate = (text: string): Result.Result<Template, string> => {
  const parts: Array<TemplatePart> = []
  let at = 0
  while (at < text.length) {
    const from = text.indexOf(open, at)
    if (from !== at) parts.push({ _tag: "Text", text: text.slice(at, from === -1 ? text.length : from) })
    if (from === -1) break
    const end = text.indexOf(close, from + open.length)
    if (end === -1) {
      const line = text.slice(0, from).split("\n").length
      return Result.fail(`has {{ without }} behind it, in its line ${line}: close it, as in {{pull_request.title}}`)
    }
    const path = pathOf(text.slice(from + open.length, end))
    if (Result.isFailure(path)) return Result.fail(path.failure)
    parts.push({ _tag: "Value", path: path.success })
    at = end + close.length
  }
  const values = parts.filter(({ _tag }) => _tag === "Value").length
  return values > mostValues
    ? Result.fail(`has ${values} fields in {{ }}: at most ${mostValues} are possible`)
    : Result.succeed(parts)
}

export const printTemplate = (template: Template): string =>
  template.map((part) => (part._tag === "Text" ? part.text : `${open}${part.path.join(".")}${close}`)).join("")

/** The value at a path: of own properties alone, and of lists by their numbers. Undefined if it is missing. */
export const valueIn = (document: unknown, path: ReadonlyArray<string>): unknown => {
  let value = document
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined
    if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name] // its own property
  }
  return value
}
