/**
 * The configuration that a run adds to OpenCode (1.18.33), over the caller's from the environment. OpenCode replaces `{env:…}`
 * and `{file:…}` in its text before parsing, so our braces are escaped.
 */
import { Predicate, Result } from "effect"
import type { InvalidParams } from "../../../contract/AgentError.ts"
import { invalid } from "../../commandLine.ts"

export type JsonObject = { readonly [key: string]: unknown }

/** Replaces an opening brace until the text is made; not a character of any language. */
const brace = "\uFDD0"

/** Text in which nothing is replaced. */
export const literal = (text: string) => text.replaceAll("{", brace)

/** A reference to a file. OpenCode trims the content, so the blanks around it are put around the reference. */
export const contentOf = (path: string, content: string) => {
  const inner = content.trim()
  if (inner === "") return content
  const start = content.indexOf(inner)
  return `${content.slice(0, start)}{file:${path}}${content.slice(start + inner.length)}`
}

export const printConfig = (config: JsonObject) => JSON.stringify(config).replaceAll(brace, "\\u007b")
const isObject = (value: unknown): value is JsonObject => Predicate.isObject(value) && !Array.isArray(value)

/** Later wins, objects are merged, `instructions` are joined, MCP servers are replaced whole. */
const combine = (key: string, before: unknown, after: unknown): unknown => {
  if (key === "instructions" && Array.isArray(before) && Array.isArray(after)) return [...before, ...after]
  if (!isObject(before) || !isObject(after)) return after
  return key === "mcp" ? { ...before, ...after } : merge(before, after)
}

/** Members of `after` come last, since among permissions the last match counts. */
export const merge = (before: JsonObject, after: JsonObject): JsonObject => {
  const rest = Object.entries(before).filter(([key]) => !Object.hasOwn(after, key))
  const merged = Object.entries(after).map(([key, value]) => {
    const old = Object.hasOwn(before, key) ? before[key] : undefined
    return [key, combine(key, old, value)] as const
  })
  return Object.fromEntries([...rest, ...merged])
}

const string = /"(?:[^"\\]|\\.)*"/.source
const comments = new RegExp(`(${string})|//[^\\n]*|/\\*[\\s\\S]*?\\*/`, "g")
const trailingCommas = new RegExp(`(${string})|,(?=\\s*[}\\]])`, "g")

/** The caller's own value of a variable with JSON in it; comments and trailing commas are legal there. */
export const parseVariable = (name: string, text: string | undefined): Result.Result<JsonObject, InvalidParams> => {
  if (text === undefined || text.trim() === "") return Result.succeed({})
  const json = text.replace(comments, "$1").replace(trailingCommas, "$1")
  const refuse = (problem: string) => invalid(`env ${JSON.stringify(name)}`, problem)
  return Result.try({ try: (): unknown => JSON.parse(json), catch: () => refuse("is not JSON") }).pipe(
    Result.flatMap((value) => (isObject(value) ? Result.succeed(value) : Result.fail(refuse("is not an object"))))
  )
}
