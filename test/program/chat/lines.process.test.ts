/** `reins chat` without a terminal: prompts come in lines, and requests are not shown. Real processes. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const program = fileURLToPath(new URL("scriptedChat.ts", import.meta.url))

const chat = async (input: string, args: ReadonlyArray<string> = []) => {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text
  })
  child.stdin.end(input)
  const [code] = await once(child, "close")
  return { code, stderr, stdout }
}

it("goes through the prompts, denies what is asked, and tells each turn's end", async () => {
  const { code, stderr, stdout } = await chat("ask rm x\n\nquestion", ["hello there"])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  const reported = stdout.replace(/^(✓ .*completed).*$/gm, "$1").replace(/ {2}[\d.]+ m?s$/gm, "")
  expect(reported).toBe(
    [
      "● scripted · m1 · session s1",
      "",
      "you said hello there",
      "",
      "✓ completed",
      "",
      "⊘ denied  Run   rm x · by a rule: No person can be asked.",
      "",
      'decided {"decision":"deny","message":"No person can be asked."}',
      "",
      "✓ completed",
      "",
      "? Colour: Which colour?",
      "  1  red — like fire",
      "  2  blue",
      "? Which sizes?",
      "  1  S",
      "  2  M",
      "  3  L",
      "· not answered: the agent uses its defaults",
      "",
      'answered "defaults"',
      "",
      "✓ completed",
      "",
      "✓ session completed",
      ""
    ].join("\n")
  )
})

it("ends with the session, however many prompts are left", async () => {
  const { code, stdout, stderr } = await chat("die\nhello\n")
  expect(code).toBe(1)
  expect(stdout).not.toContain("you said")
  expect(stderr).toMatch(/✗ session failed · exited[^\n]*\n$/)
})
