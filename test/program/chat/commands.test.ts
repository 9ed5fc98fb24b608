/** Lines on stdin → commands, and the errors of invalid ones. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { commandForms, parseCommand } from "../../../src/program/chat/commands.ts"

const good: ReadonlyArray<object> = [
  { type: "turn", prompt: "hi" },
  { type: "send", text: "and this" },
  { type: "turn", prompt: "hi", attachments: [{ path: "a,b.png" }] },
  { type: "send", text: "hi", attachments: [{ path: "a", name: "b", mediaType: "text/plain" }] },
  { type: "decide", decision: "allow" },
  { type: "decide", requestId: "r", decision: "allow", input: { command: "ls" }, remember: true },
  { type: "decide", decision: "deny", message: "no", interrupt: true, remember: "wider-1" },
  { type: "decide", decision: "outline" },
  { type: "answer" },
  { type: "answer", requestId: "r", answers: { "Which?": ["this", "that"] } },
  { type: "interrupt" },
  { type: "set_model", model: "opus" },
  { type: "set_permission_mode", permissionMode: "plan" },
  { type: "close" }
]

const bad: ReadonlyArray<readonly [string, string, string]> = [
  ["no JSON", "hello", "is not JSON"],
  ["a list", "[]", "is not a JSON object"],
  ["a text", '"turn"', "is not a JSON object"],
  ["no type", "{}", "turn, send, decide, answer, interrupt, set_model, set_permission_mode, close"],
  ["a type that every object has", '{"type":"toString"}', 'has no known "type"'],
  ["a field that is missing", '{"type":"turn"}', `prompt: is missing; write ${commandForms.turn}`],
  ["an empty prompt", '{"type":"turn","prompt":" "}', "prompt: Expected some text"],
  [
    "bytes, which are not JSON",
    '{"type":"turn","prompt":"hi","attachments":[{"data":"AAAA","mediaType":"image/png"}]}',
    "attachments.0: Expected an attachment"
  ],
  ["a field that is misspelt", '{"type":"answer","requestid":"r"}', "requestid: is not a known field"],
  ["no decision", '{"type":"decide"}', '"decision" is allow, deny or outline'],
  [
    "a message for what is allowed",
    '{"type":"decide","decision":"allow","message":"m"}',
    "message: is not a known field"
  ],
  ["an unknown mode", '{"type":"set_permission_mode","permissionMode":"yolo"}', "permissionMode: Expected"],
  [
    "answers that are not lists",
    '{"type":"answer","answers":{"Which?":"this"}}',
    "answers.Which?: Expected a list, not a text; a single one is a list of one"
  ]
]

describe("a command", () => {
  it.each(good)("%j", (command) => {
    expect(parseCommand(JSON.stringify(command))).toEqual(Result.succeed(command))
  })

  it.each(bad)("that is invalid: %s", (_, line, problem) => {
    const parsed = parseCommand(line)
    expect(Result.isFailure(parsed) ? parsed.failure : "").toContain(problem)
  })
})
