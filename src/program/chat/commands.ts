/** A line on the stdin of `reins chat --json` → a command, or the problem with it and its correct form; pure. */
import { Predicate, Result, Schema } from "effect"
import type { InvalidParams } from "../../contract/AgentError.ts"
import { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import { Attachments } from "../../contract/Attachment.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { jsonProblem } from "../../contract/json.ts"
import { Answers } from "../../contract/SessionEvent.ts"

/** True for the request itself, or the id of one of its scopes. */
const remember = Schema.optionalKey(Schema.Union([Schema.Boolean, Schema.String]))
const requestId = Schema.optionalKey(Schema.String)
const Words = Schema.String.check(Schema.makeFilter((text) => text.trim() !== "", { expected: "some text" }))

/** Files by path: bytes do not fit into JSON. */
const attachments = Schema.optionalKey(Attachments)
const decide = { type: Schema.tag("decide"), requestId }

const parserOf = <A>(schema: Schema.Codec<A, unknown>) => makeParser(schema, "the command")
type Parsed<Parser> = Parser extends (input: unknown) => Result.Result<infer A, infer _> ? A : never

const decisions = {
  allow: parserOf(
    Schema.Struct({
      ...decide,
      decision: Schema.Literal("allow"),
      input: Schema.optionalKey(Schema.Unknown),
      remember
    })
  ),
  deny: parserOf(
    Schema.Struct({
      ...decide,
      decision: Schema.Literal("deny"),
      message: Schema.optionalKey(Schema.String),
      interrupt: Schema.optionalKey(Schema.Boolean),
      remember
    })
  ),
  outline: parserOf(Schema.Struct({ ...decide, decision: Schema.Literal("outline") }))
}

const commands = {
  turn: parserOf(Schema.Struct({ type: Schema.tag("turn"), prompt: Words, attachments })),
  send: parserOf(Schema.Struct({ type: Schema.tag("send"), text: Words, attachments })),
  answer: parserOf(Schema.Struct({ type: Schema.tag("answer"), requestId, answers: Schema.optionalKey(Answers) })),
  interrupt: parserOf(Schema.Struct({ type: Schema.tag("interrupt") })),
  set_model: parserOf(Schema.Struct({ type: Schema.tag("set_model"), model: Words })),
  set_permission_mode: parserOf(
    Schema.Struct({ type: Schema.tag("set_permission_mode"), permissionMode: PermissionMode })
  ),
  close: parserOf(Schema.Struct({ type: Schema.tag("close") }))
}

export type Decide = Parsed<(typeof decisions)[keyof typeof decisions]>
export type ChatCommand = Parsed<(typeof commands)[keyof typeof commands]> | Decide

export const commandForms = {
  turn: '{"type":"turn","prompt":"…","attachments"?:[{"path":"…"}]}',
  send: '{"type":"send","text":"…","attachments"?:[{"path":"…"}]}',
  decide:
    '{"type":"decide","requestId"?,"decision":"allow","input"?,"remember"?}, or "deny" with "message"?, "interrupt"?, "remember"?, or "outline"',
  answer: '{"type":"answer","requestId"?,"answers"?:{"question":["label or text"]}}',
  interrupt: '{"type":"interrupt"}',
  set_model: '{"type":"set_model","model":"…"}',
  set_permission_mode: `{"type":"set_permission_mode","permissionMode":${PermissionMode.literals.map((mode) => `"${mode}"`).join("|")}}`,
  close: '{"type":"close"}'
} as const

type CommandType = keyof typeof commandForms
const isType = (type: unknown): type is CommandType => typeof type === "string" && Object.hasOwn(commandForms, type)
const isDecision = (decision: unknown): decision is keyof typeof decisions =>
  typeof decision === "string" && Object.hasOwn(decisions, decision)

const parserFor = (type: CommandType, json: object) => {
  if (type !== "decide") return commands[type]
  const decision = "decision" in json ? json.decision : undefined
  return isDecision(decision) ? decisions[decision] : undefined
}

/** Refuses JSON that is nested too deep to be passed on. */
const parseJson = (line: string): Result.Result<unknown, string> =>
  Result.try({ try: (): unknown => JSON.parse(line), catch: () => "is not JSON" }).pipe(
    Result.flatMap((json) => {
      const problem = jsonProblem(json)
      return problem === undefined ? Result.succeed(json) : Result.fail(problem)
    })
  )

export const parseCommand = (line: string): Result.Result<ChatCommand, string> => {
  const json = parseJson(line)
  if (Result.isFailure(json)) return Result.fail(`${json.failure}; a command is one line, such as ${commandForms.turn}`)
  const command = json.success
  if (!Predicate.isObject(command) || Array.isArray(command)) {
    return Result.fail(`is not a JSON object; a command is one, such as ${commandForms.turn}`)
  }
  const type = "type" in command ? command.type : undefined
  if (!isType(type)) {
    return Result.fail(`has no known "type"; the types are ${Object.keys(commandForms).join(", ")}`)
  }
  const parse: ((input: unknown) => Result.Result<ChatCommand, InvalidParams>) | undefined = parserFor(type, command)
  const form = `write ${commandForms[type]}`
  if (parse === undefined) return Result.fail(`"decision" is allow, deny or outline; ${form}`)
  return Result.mapError(parse(command), ({ option, problem }) => `${option}: ${problem}; ${form}`)
}
