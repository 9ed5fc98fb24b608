/** The versions that the README names are those that the package goes by. */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { versions } from "../../src/cli/versions.ts"

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
const { claude, gemini, codex, opencode } = versions

it("the README names the tested version of each CLI", () => {
  expect(readme).toContain(
    `**Claude Code** ${claude.testedVersion}, **Gemini CLI** ${gemini.testedVersion}, ` +
      `**Codex** ${codex.testedVersion}, **OpenCode** ${opencode.testedVersion}.`
  )
})

it("the README names the oldest version of each CLI that is known to work, in the same order", () => {
  const [first, second, third, last] = [claude, gemini, codex, opencode].map(({ oldestVersion }) => oldestVersion)
  expect(readme).toContain(`The oldest that are known to work are ${first}, ${second}, ${third} and ${last}:`)
})
