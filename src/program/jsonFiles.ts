/** Reads the JSON files that flags name. Errors name the flag, the file and the place in it. */
import { Effect, Option, Predicate, Result, Schema } from "effect"
import { InvalidParams } from "../contract/AgentError.ts"
import { McpServer } from "../contract/AgentExecuteParams.ts"
import { untraced } from "../contract/untraced.ts"
import { maxBytes, readFile } from "./readInput.ts"

type Parsed<A> = Result.Result<A, string>

const notJson = (text: string, error: unknown): string => {
  const at = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1]
  const before = text.slice(0, at === undefined ? text.length : Number(at)).split("\n")
  return `no JSON, line ${before.length} column ${(before.at(-1)?.length ?? 0) + 1}`
}

/** Undefined without the flag. */
export const readJsonFile = Effect.fn(...untraced("JsonFiles.readJsonFile"))(function* <A>(
  option: string,
  file: Option.Option<string>,
  parse: (json: unknown) => Parsed<A>
) {
  if (Option.isNone(file)) return undefined
  const invalid = (problem: string) => new InvalidParams({ option, problem: `${file.value}: ${problem}` })
  const text = yield* readFile(option, file.value, maxBytes.config)
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => invalid(notJson(text, error))
  })
  return yield* Effect.fromResult(Result.mapError(parse(json), invalid))
})

export const jsonObject = (json: unknown): Parsed<Record<string, unknown>> =>
  Predicate.isObject(json) && !Array.isArray(json)
    ? Result.succeed(json as Record<string, unknown>) // an object of JSON has nothing but string keys
    : Result.fail("is not a JSON object")

const decodeServer = Schema.decodeUnknownResult(McpServer, { onExcessProperty: "error" })
const form = '{"mcpServers": {"db": {"command": "…"}}}'
const kinds: ReadonlySet<unknown> = new Set([undefined, "stdio", "http", "streamable-http"])

/** Parses the form of Claude Code's MCP files; `type` is optional, since `command` or `url` implies it. */
export const mcpServers = (json: unknown): Parsed<Record<string, McpServer>> => {
  const servers = Predicate.hasProperty(json, "mcpServers") ? json.mcpServers : undefined
  if (!Predicate.isObject(servers)) return Result.fail(`"mcpServers" is missing: ${form}`)
  const decoded: Record<string, McpServer> = {}
  for (const [name, value] of Object.entries(servers)) {
    const { type, ...fields } = Predicate.isObject(value) ? (value as Record<string, unknown>) : {}
    if (!kinds.has(type)) return Result.fail(`mcpServers.${name}: type ${JSON.stringify(type)} is not stdio or http`)
    const server = decodeServer(fields)
    if (Result.isFailure(server))
      return Result.fail(`mcpServers.${name} is neither {command, args, env} nor {url, headers}`)
    decoded[name] = server.success
  }
  return Result.succeed(decoded)
}
