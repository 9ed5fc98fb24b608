#!/usr/bin/env node
/**
 * A CLI for chats: takes and prints the words of a dialogue as they are. What a turn does is in its prompt:
 * `echo TEXT`, `ask COMMAND`, `question`, `plan`, `long` (until it is steered or interrupted), `fail`, `die`.
 */
import { createInterface } from "node:readline"

const print = (...outputs) => {
  for (const output of outputs) process.stdout.write(`${JSON.stringify(output)}\n`)
}
const text = (words) => ({ type: "text", text: words })
const ended = (more = {}) => ({
  _tag: "TurnEnded",
  verdict: { _tag: "Success" },
  report: { sessionId: "s1", numTurns: 1, usage: { inputTokens: 10, outputTokens: 2 } },
  ...more
})
let count = 0
const nextId = () => {
  count += 1
  return `r${count}`
}

const request = (kind, more) => {
  const requestId = nextId()
  const toolId = `t${count}`
  print(
    { type: "tool_use", toolId, toolName: more.toolName, kind, input: more.input, title: more.title },
    { _tag: "Asked", ask: { requestId, toolId, kind, takesInput: true, ...more } }
  )
}

const questions = [
  {
    question: "Which colour?",
    header: "Colour",
    options: [{ label: "red", description: "like fire" }, { label: "blue" }],
    multiple: false,
    freeText: true
  },
  {
    question: "Which sizes?",
    options: [{ label: "S" }, { label: "M" }, { label: "L" }],
    multiple: true,
    freeText: false
  }
]

const turns = {
  echo: (rest) => print(text(`you said ${rest}`), ended()),
  ask: (command) =>
    request("command", { toolName: "Bash", title: command, input: { command }, command, reason: "it writes" }),
  plan: () => request("plan", { toolName: "ExitPlanMode", title: "Plan", input: {}, plan: "1. look\n2. change" }),
  question: () => print({ _tag: "Questioned", requestId: nextId(), questions }),
  long: () => print(text("working")),
  fail: () => print(ended({ failure: "the model is gone" })),
  die: () => process.exit(3)
}

const commands = {
  open: () => print({ type: "session", sessionId: "s1", model: "m1" }, { _tag: "Opened" }),
  turn: ({ prompt }) => {
    const [name = "", ...rest] = prompt.split(" ")
    const turn = turns[name] ?? (() => turns.echo(prompt))
    turn(rest.join(" "))
  },
  // As a CLI that hears of it only when the turn is over.
  steer: ({ text: more }) => {
    if (!more.startsWith("too late")) return print(text(` on ${more}`), ended())
    print({ together: [ended(), { type: "notice", kind: "queued", message: "it begins a turn of its own" }] })
    setTimeout(() => print(text(`you said ${more}`), ended()), 300)
  },
  interrupt: () => print(ended({ isInterrupted: true })),
  decide: ({ requestId, decision }) => {
    const toolId = `t${requestId.slice(1)}`
    const isDenied = decision.decision === "deny"
    print({ type: "tool_result", toolId, output: isDenied ? decision.message : "ran", isError: isDenied })
    print(text(`decided ${JSON.stringify(decision)}`), ended({ isInterrupted: decision.interrupt === true }))
  },
  answer: ({ answers }) => print(text(`answered ${JSON.stringify(answers ?? "defaults")}`), ended()),
  change: ({ changeId, change }) => {
    const value = change.model ?? change.permissionMode
    print({ _tag: "Changed", changeId, ...(value === "none" ? { problem: "unknown model" } : {}) })
  }
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const command = JSON.parse(line)
    commands[command.do](command)
  })
  .on("close", () => process.exit(0))
