/** Writes to a process: before it runs and after, in order, and bounded. */
import { assert, describe, it } from "vitest"
import { makeStdin, type StdinPipe, stdinOf } from "../../../src/system/process/stdin.ts"

const recordingPipe = () => {
  const calls: Array<string> = []
  const pipe: StdinPipe = {
    write: (text) => calls.push(text),
    end: () => calls.push("end"),
    waiting: () => calls.join("").length
  }
  return { calls, pipe }
}

describe("stdin", () => {
  it("passes what was written before the process runs, then what comes, in order", () => {
    const { calls, pipe } = recordingPipe()
    const stdin = makeStdin()
    stdin.write("a")
    stdin.write("b")
    stdin.connect(pipe)
    stdin.write("c")
    stdin.end()
    stdin.end()
    assert.deepStrictEqual(calls, ["a", "b", "c", "end"])
    assert.isFalse(stdin.isOpen())
  })

  it("has ended before the process runs", () => {
    const { calls, pipe } = recordingPipe()
    stdinOf("all").connect(pipe)
    assert.deepStrictEqual(calls, ["all", "end"])
  })

  it("drops what follows its end, or the breaking of the pipe, without a problem", () => {
    for (const over of ["end", "close"] as const) {
      const { calls, pipe } = recordingPipe()
      const stdin = makeStdin()
      stdin.connect(pipe)
      stdin[over]()
      assert.isUndefined(stdin.write("late"))
      assert.notInclude(calls, "late")
    }
  })

  it("takes a text of any length, but none behind more than the limit", () => {
    const early = makeStdin(10)
    const { pipe } = recordingPipe()
    const connected = makeStdin(10)
    connected.connect(pipe)
    for (const stdin of [early, connected]) {
      assert.isUndefined(stdin.write("x".repeat(100)))
      assert.match(stdin.write("y") ?? "", /^has to wait behind/)
    }
  })
})
