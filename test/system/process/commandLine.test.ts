/** Limits of a command line, and the culprit named beyond them. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import type { Argument } from "../../../src/contract/Plan.ts"
import { checkCommandLine, longestArgumentBytes } from "../../../src/system/process/HostEnvironment.ts"

const argument = (option: string, text: string): Argument => ({ option, text })
const problem = (args: ReadonlyArray<Argument>, env: Record<string, string> = {}) => {
  const checked = checkCommandLine(args, env)
  return Result.isFailure(checked) ? checked.failure : undefined
}

describe("a command line", () => {
  it("fits up to 128 KiB less one byte an argument, counted in bytes", () => {
    assert.strictEqual(longestArgumentBytes, 131_071)
    assert.isUndefined(problem([]))
    assert.isUndefined(problem([argument("a", "x".repeat(131_071)), argument("b", "y".repeat(131_071))]))
    assert.isUndefined(problem([argument("a", `x${"ä".repeat(65_535)}`)]))
    assert.deepInclude(problem([argument("a", "ä".repeat(65_536))]), {
      _tag: "CommandLineTooLong",
      option: "a",
      bytes: 131_072,
      limitBytes: 131_071
    })
  })

  it("names the option that is too long", () => {
    const args = [
      argument("model", "--model=x"),
      argument("outputSchema", "x".repeat(200_000)),
      argument("prompt", "p")
    ]
    assert.strictEqual(problem(args)?.message, "outputSchema has 200000 bytes; the command line takes at most 131071")
  })

  it("an argument with NUL is refused, without its text", () => {
    const found = problem([argument("extraArgs", "--x=secret\0y")])
    assert.deepInclude(found, { _tag: "InvalidParams", option: "extraArgs" })
    assert.notInclude(found?.message ?? "", "secret")
  })

  it("a variable counts with its name, and is named without its value", () => {
    assert.isUndefined(problem([], { A: "x".repeat(131_069) }))
    const found = problem([], { A: "x".repeat(131_070) })
    assert.deepInclude(found, { _tag: "CommandLineTooLong", option: 'env "A"', bytes: 131_072 })
    assert.deepInclude(problem([], { A: "secret\0" }), { _tag: "InvalidParams", option: 'env "A"' })
  })
})
