/** `reins chat` with a scripted CLI behind it, whose dialogue hands everything on as it is. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Predicate, Result } from "effect"
import { Argument, Command } from "effect/cli"
import type { Cli, Standing } from "../../../src/cli/Cli.ts"
import { type Dialogue, isAction, type Output } from "../../../src/cli/Live.ts"
import { AgentFailed } from "../../../src/contract/AgentError.ts"
import { chatWith } from "../../../src/program/chat.ts"
import { chatFlags } from "../../../src/program/flags.ts"
import { output } from "../../../src/program/output.ts"
import { logging } from "../../../src/program/program.ts"
import { makeRecording } from "../../../src/program/recording/recordedAgent.ts"
import { runMain } from "../../../src/program/signals.ts"
import { packageFile } from "../../../src/system/process/packageFile.ts"
import { anyCli } from "../../../src/testing/doubles/checkStart.ts"

const write = (json: unknown): Output => ({ _tag: "Write", json })

/** The script's report of a turn that failed. */
const decoded = (json: unknown): Output => {
  const output = json as Output & { readonly failure?: string } // the script prints nothing else
  if (!isAction(output) || output._tag !== "TurnEnded" || output.failure === undefined) return output
  const reason = new AgentFailed({ code: "scripted", category: "overloaded", detail: output.failure })
  return { ...output, verdict: { _tag: "Failure", reason } }
}

const makeDialogue = (): Dialogue => {
  let standing: Standing = "opening"
  const owed = new Set<string>()
  return {
    open: () => [write({ do: "open" })],
    push: (json) => {
      // The script puts a list there.
      const outputs = (
        Predicate.hasProperty(json, "together") ? (json.together as ReadonlyArray<unknown>) : [json]
      ).map(decoded)
      for (const output of outputs) {
        if (isAction(output) && (output._tag === "Opened" || output._tag === "TurnEnded")) standing = "resting"
        if (isAction(output) && output._tag === "Asked") owed.add(output.ask.requestId)
        if (!isAction(output) && output.type === "notice") standing = "working"
      }
      return outputs
    },
    turn: (prompt) => {
      standing = "working"
      return [write({ do: "turn", prompt })]
    },
    steer: (text) => (text.startsWith("later") ? undefined : [write({ do: "steer", text })]),
    interrupt: () => {
      const withdrawn = [...owed].map((requestId): Output => ({ _tag: "Withdrawn", requestId }))
      owed.clear()
      return [...withdrawn, write({ do: "interrupt" })]
    },
    decide: (requestId, decision) => {
      owed.delete(requestId)
      return [write({ do: "decide", requestId, decision })]
    },
    answer: (requestId, answers) => [write({ do: "answer", requestId, answers })],
    change: (changeId, change) => [write({ do: "change", changeId, change })],
    reply: () => [],
    standing: () => standing
  }
}

const scripted: Cli = {
  ...anyCli,
  live: {
    supports: new Set(["model", "permissionMode", "sessionId"]),
    plan: () => Result.succeed({ args: [], files: [], env: {} }),
    dialogue: makeDialogue,
    hostTools: "dialogue",
    hostToolPrefixes: [],
    leavesAtEndOfInput: true
  }
}

const command = packageFile("test/program/chat/scriptedChat.mjs")
const chosen = {
  label: "scripted",
  cli: scripted,
  options: { command: process.execPath, baseArgs: [command] },
  plans: true
}

const chat = Command.make("chat", { ...chatFlags, prompt: Argument.optional(Argument.String("prompt")) }, (input) =>
  Effect.gen(function* () {
    const configuration = { agents: {}, directories: {} }
    const recording = yield* makeRecording({ cli: scripted, configuration, budgets: [], isWanted: false })
    yield* chatWith(input, { chosen, configuration, problem: undefined, recording, canKeep: true })
  }).pipe(Effect.scoped)
)

Command.run(chat, { version: "0" }).pipe(Effect.provide([logging, output]), Effect.provide(NodeServices.layer), runMain)
