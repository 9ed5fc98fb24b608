/** Where a run stands after each line: when silence means trouble, and when nothing can follow. */
import { assert, describe, it } from "vitest"
import { claude } from "../../../../src/cli/claude/index.ts"
import type { Standing } from "../../../../src/cli/Decoder.ts"
import { translate } from "../../../kit/translate.ts"
import { hook, message } from "../../../kit/wire.ts"

const init = { type: "system", subtype: "init", session_id: "s" }
const result = { type: "result", subtype: "success", is_error: false, session_id: "s", result: "x" }
const text = { type: "assistant", message: { id: "m", content: [{ type: "text", text: "x" }] } }
const open = (...ids: ReadonlyArray<string>) => ({
  type: "system",
  subtype: "background_tasks_changed",
  tasks: ids.map((task_id) => ({ task_id, task_type: "local_bash", description: "work" }))
})
const notified = (task_id: string, status = "completed") => ({
  type: "system",
  subtype: "task_notification",
  task_id,
  status,
  summary: "work",
  output_file: "/x"
})

const standings = (lines: ReadonlyArray<unknown>): ReadonlyArray<Standing> => {
  const decoder = claude.decoder({ prompt: "hello" })
  return lines.map((line) => {
    translate(decoder, line)
    return decoder.standing()
  })
}

describe("the standing of a run", () => {
  const table: ReadonlyArray<readonly [string, ReadonlyArray<readonly [unknown, Standing]>]> = [
    [
      "at its end with the result",
      [
        [init, "working"],
        [text, "working"],
        [result, "ended"]
      ]
    ],
    [
      "answered between the end of its last message and the result",
      [
        [init, "working"],
        ...message("x").map((line, at, all): readonly [unknown, Standing] => [
          line,
          at === all.length - 1 ? "answered" : "working"
        ]),
        [hook("hook_started"), "working"],
        [hook("hook_response"), "answered"],
        [open("a"), "background"],
        [open(), "working"],
        [notified("a"), "working"],
        [init, "working"],
        ...message("y").map((line, at, all): readonly [unknown, Standing] => [
          line,
          at === all.length - 1 ? "answered" : "working"
        ]),
        [result, "working"],
        [result, "ended"]
      ]
    ],
    ["at its end with a result that is the only line", [[{ ...result, is_error: true }, "ended"]]],
    [
      "in the background while a command runs there, and works again when it is over",
      [
        [init, "working"],
        [open("a"), "background"],
        [result, "background"],
        [notified("a"), "background"],
        [open(), "resting"],
        [init, "working"],
        [result, "ended"]
      ]
    ],
    [
      "at work while a second turn has started before the first result",
      [
        [init, "working"],
        [open("a"), "background"],
        [notified("a"), "background"],
        [open(), "working"],
        [init, "working"],
        [result, "working"],
        [result, "ended"]
      ]
    ],
    [
      "in the background until the last of two is over",
      [
        [init, "working"],
        [open("a", "b"), "background"],
        [result, "background"],
        [notified("a"), "background"],
        [open("b"), "background"],
        [init, "background"],
        [result, "background"],
        [notified("b"), "background"],
        [open(), "resting"]
      ]
    ],
    [
      "at rest when two were over and only one turn has followed",
      [
        [init, "working"],
        [open("a", "b"), "background"],
        [result, "background"],
        [notified("a"), "background"],
        [notified("b"), "background"],
        [open(), "resting"],
        [init, "working"],
        [result, "resting"],
        [init, "working"],
        [result, "ended"]
      ]
    ],
    [
      "at its end when the work was stopped before the result",
      [
        [init, "working"],
        [open("a"), "background"],
        [notified("a", "stopped"), "background"],
        [open(), "working"],
        [result, "ended"]
      ]
    ],
    [
      "not at its end when the work is stopped behind the result: the process is ended",
      [
        [init, "working"],
        [open("a"), "background"],
        [result, "background"],
        [notified("a", "stopped"), "background"],
        [open(), "resting"]
      ]
    ],
    [
      "at rest while another turn is queued",
      [
        [init, "working"],
        [{ ...result, queued_turn_count: 1 }, "resting"],
        [init, "working"],
        [{ ...result, queued_turn_count: 0 }, "ended"]
      ]
    ],
    [
      "at its end whatever happened to a foreground task",
      [
        [init, "working"],
        [notified("foreground"), "working"],
        [result, "ended"]
      ]
    ]
  ]

  it.each(table)("%s", (_, steps) => {
    assert.deepStrictEqual(
      standings(steps.map(([line]) => line)),
      steps.map(([, standing]) => standing)
    )
  })
})
