/**
 * Tern with live sessions: `tern --talk` prints the lines of a run, asks before it runs a command, and goes on after each
 * `bye`. Its dialogue is plain data in and out: lines of the CLI and what the caller wants go in; events, lines to write
 * and what is to be done come out.
 */
import { Result, Schema } from "effect"
import { Cli } from "reins"
import { decodeLine, planOf, start, step, supports, tern } from "./tern.ts"

/** It asks about a call that it has told before. */
const May = Schema.Struct({
  event: Schema.Literal("may"),
  id: Schema.String,
  tool: Schema.String,
  arguments: Schema.Struct({ command: Schema.String })
})
const decodeMay = Cli.wireDecoder(May)

const write = (json: object): Cli.Action => ({ _tag: "Write", json })

const askOf = ({ id, tool, arguments: input }: typeof May.Type): Cli.PermissionAsk => ({
  requestId: id,
  toolId: id,
  toolName: tool,
  kind: "command",
  input,
  title: input.command,
  command: input.command,
  takesInput: false
})

const dialogue = (): Cli.Dialogue => {
  let standing: Cli.Standing = "opening"
  let state = start()
  let isInterrupted = false
  const openRequests = new Set<string>()

  const decide = (id: string, answer: object): ReadonlyArray<Cli.Action> =>
    openRequests.delete(id) ? [write({ answer: id, ...answer })] : []

  const push = (json: unknown): ReadonlyArray<Cli.Output> => {
    const may = decodeMay(json)
    if (Result.isSuccess(may)) {
      openRequests.add(may.success.id)
      return [{ _tag: "Asked", ask: askOf(may.success) }]
    }
    const line = decodeLine(json)
    if (Result.isFailure(line)) return [{ type: "unknown", raw: json }]
    const [next, events] = step(state, line.success, json)
    state = next
    if (line.success.event === "hello") {
      standing = "resting"
      return [...events, { _tag: "Opened" }]
    }
    const { verdict, report } = state
    if (verdict === undefined) return events
    standing = "resting"
    return [...events, { _tag: "TurnEnded", verdict, report, isInterrupted }]
  }

  return {
    open: () => [],
    push,
    turn: (prompt) => {
      standing = "working"
      isInterrupted = false
      state = { ...state, verdict: undefined }
      return [write({ say: prompt })]
    },
    // It takes no text while it works.
    steer: () => undefined,
    interrupt: () => {
      isInterrupted = true
      const denied = [...openRequests].flatMap((requestId) => [
        ...decide(requestId, { allow: false }),
        { _tag: "Withdrawn", requestId } as const
      ])
      return [...denied, write({ stop: true })]
    },
    decide: (id, decision) =>
      decide(id, decision.decision === "allow" ? { allow: true } : { allow: false, message: decision.message }),
    change: (changeId, { _tag }) => [{ _tag: "Changed", changeId, problem: `Tern cannot change its ${_tag}` }],
    // It asks no questions, and knows no hooks and no functions of the host.
    answer: () => [],
    reply: () => [],
    standing: () => standing
  }
}

export const ternLive: Cli.Cli = {
  ...tern,
  live: {
    supports: new Set(supports),
    plan: (params, _, context) => Result.succeed(planOf("--talk", params, context)),
    dialogue,
    hostTools: "server",
    hostToolPrefixes: ["host_"],
    leavesAtEndOfInput: true
  }
}
