/** Values of CLIs for other versions of `Cli`: which are taken, and what a refusal says. */
import { assert, describe, it } from "vitest"
import { isCli } from "../../src/cli/clis.ts"
import { contractProblem } from "../../src/cli/contract.ts"
import { tern } from "../package/fifthCli/tern.ts"

describe("the contract of a CLI", () => {
  it.each([
    ["absent", {}, [1], undefined],
    ["the present one", { contract: 1 }, [1], undefined],
    ["one of two", { contract: 2 }, [1, 2], undefined],
    [
      "newer",
      { contract: 2 },
      [1],
      "was made for version 2 of Cli, and this version of Reins takes version 1: update Reins, or use a CLI that was made for version 1"
    ],
    [
      "gone",
      { contract: 1 },
      [2, 3],
      "was made for version 1 of Cli, and this version of Reins takes version 2 or 3: update the module or package that the CLI comes from (docs/adding-a-cli.md)"
    ],
    [
      "absent, and gone",
      {},
      [2],
      "was made for version 1 of Cli, and this version of Reins takes version 2: update the module or package that the CLI comes from (docs/adding-a-cli.md)"
    ],
    ["a text", { contract: "1" }, [1], "has a contract that is not a number: this version of Reins takes version 1"]
  ] as const)("%s", (_, value, taken, problem) => {
    assert.strictEqual(contractProblem(value, taken), problem)
  })

  it("may have another form, by which it is not mistaken for another value", () => {
    assert.isTrue(isCli(tern))
    assert.isTrue(isCli({ id: "later", contract: 2 }))
    assert.isFalse(isCli({ id: "later", contract: 1 }))
    assert.isFalse(isCli({ id: "other" }))
  })
})
