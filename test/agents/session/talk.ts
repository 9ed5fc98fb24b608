/** A conversation over a dialogue that the test plays. */
import { Clock, Effect, FiberSet } from "effect"
import * as Approvals from "../../../src/agents/Approvals.ts"
import { makeApprover } from "../../../src/agents/approvals/approver.ts"
import type { Phase } from "../../../src/agents/engine/watchdog.ts"
import type { TurnAdmitter } from "../../../src/agents/session/admitting.ts"
import { makeBroadcast } from "../../../src/agents/session/broadcast.ts"
import { type Conversation, makeConversation } from "../../../src/agents/session/conversation.ts"
import { makeTurns } from "../../../src/agents/session/turns.ts"
import type { Standing } from "../../../src/cli/Cli.ts"
import { clis } from "../../../src/cli/clis.ts"
import { type Dialogue, isAction, type Output } from "../../../src/cli/Live.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"

export const request = {
  _tag: "Asked",
  ask: { requestId: "1", toolName: "Bash", toolId: "1", kind: "command", input: {}, title: "Bash", takesInput: false }
} satisfies Output

export const plan: Output = { _tag: "Asked", ask: { ...request.ask, requestId: "2", kind: "plan" } }

export const over: Output = { _tag: "TurnEnded", verdict: { _tag: "Success" }, report: {} }
export const text: AgentEvent = { type: "text", text: "late" }

/** A line that means this. */
export const hear = (conversation: Conversation, outputs: ReadonlyArray<Output>, bytes?: number) => {
  if (conversation.isOver()) return
  for (const output of outputs) {
    if (isAction(output)) conversation.act?.(output)
    else conversation.give(output, bytes)
  }
  conversation.onLineEnd()
}

export const makeTalk = Effect.fnUntraced(function* (admit?: TurnAdmitter["admit"]) {
  const broadcast = makeBroadcast()
  const turns = makeTurns(broadcast, yield* Clock.Clock)
  const fork = yield* FiberSet.makeRuntime<never, void, never>()
  const prompts: Array<string> = []
  const called: Array<string> = []
  const phases: Array<Phase> = []
  let standing: Standing = "resting"
  let interrupts = 0
  const silent = () => []
  const dialogue: Dialogue = {
    open: silent,
    push: (json) => json as ReadonlyArray<Output>,
    turn: (prompt) => {
      prompts.push(prompt)
      standing = "working"
      return []
    },
    steer: () => undefined,
    interrupt: () => {
      interrupts += 1
      return []
    },
    decide: silent,
    answer: silent,
    change: silent,
    reply: silent,
    standing: () => standing
  }
  const handler: Approvals.PermissionHandler = () => {
    called.push("handler")
    return { decision: "allow" }
  }
  const approver = makeApprover([Approvals.ask(handler)], {
    workingDirectory: "/",
    now: () => 0,
    textLength: () => 0,
    turn: () => 1
  })
  const run = () => {
    called.push("hook")
    return {}
  }
  const conversation = makeConversation({
    dialogue,
    turns,
    seams: { observe: undefined, admitter: admit && { admit, scope: yield* Effect.scope, fork, grace: 10_000 } },
    cli: clis.claude,
    permissionMode: undefined,
    approver,
    questions: "off",
    hooks: [{ event: "Stop", run }],
    respond: () => Effect.succeed(undefined),
    workingDirectory: "/",
    clock: { currentTimeMillisUnsafe: () => 0 },
    fork,
    isWritable: () => true,
    write: () => {},
    touch: (phase) => phases.push(phase),
    redact: (failure) => failure
  })
  return {
    conversation,
    broadcast,
    turns,
    interrupts: () => interrupts,
    prompts,
    called,
    phases,
    stand: (next: Standing) => {
      standing = next
    }
  }
})
