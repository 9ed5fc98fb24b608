/** Help, version, and messages for invalid command lines. Those that start nothing are run here; a process prints the same. */
import { describe, expect, it } from "vitest"
import { runHere } from "./programHere.ts"
import { runProgram } from "./programProcess.ts"

describe("bad usage", () => {
  it.each([
    ["no prompt", ["run"], "prompt"],
    ["an empty prompt", ["run", "  "], "prompt"],
    ["two prompts", ["run", "a", "b"], "b"],
    ["an unknown agent", ["run", "--agent", "bard", "hi"], "bard"],
    ["an unknown option", ["run", "--jsno", "hi"], "--jsno"],
    ["an unknown command", ["rnu", "hi"], "rnu"],
    ["a duration without unit", ["run", "--timeout", "90", "hi"], "90"],
    ["a variable without value", ["run", "--env", "HOME", "hi"], "NAME=VALUE"],
    ["a turn count in words", ["run", "--max-turns", "many", "hi"], "many"],
    ["an unknown permission mode", ["run", "--permission-mode", "yolo", "hi"], "yolo"],
    ["a chat without people", ["chat", "--agent", "bard"], "bard"],
    ["a chat with a schema", ["chat", "--output-schema", "f"], "--output-schema"],
    ["no file to replay", ["replay"], "FILE"]
  ])("%s: exit 2, usage on stderr, nothing on stdout", async (_, args, culprit) => {
    const { code, stdout, stderr } = await runHere(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(culprit)
    expect(stderr).toMatch(/\nHelp: reins /)
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

describe("a prompt that begins with -", () => {
  it.each([
    ["-v what"],
    ["- list item"],
    ["-h elp"],
    ["-v what", "--json"],
    ["-h elp", "--cwd=/"],
    ["-h elp", "--model", "m", "--no-trust"]
  ])("must come after --: %j", async (prompt, ...flags) => {
    const { code, stdout, stderr } = await runHere(["run", ...flags, prompt])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toBe(
      `reins run: a prompt that begins with - goes behind --: reins run -- "${prompt}"\nHelp: reins run --help\n`
    )
  })
})

describe("a process", () => {
  it.each([
    ["run", "--agent", "bard", "hi"],
    ["chat", "--help"]
  ])("prints the same: %s", async (...args) => {
    const { code, stdout, stderr } = await runProgram(args)
    expect({ code, stdout, stderr }).toEqual(await runHere(args))
  })
})

describe("about itself", () => {
  it("prints help without a command, and for each command with examples", async () => {
    const { code, stdout, stderr } = await runHere([])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    for (const command of ["run", "chat", "demo", "replay", "doctor", "schema"]) {
      expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"))
      const help = await runHere([command, "--help"])
      expect(help.stdout).toMatch(new RegExp(`EXAMPLES[^]*reins ${command}`))
    }
  })

  it("prints its version, completions, and the schema of its events", async () => {
    expect((await runProgram(["--version"])).stdout).toMatch(/^reins v\d+\.\d+\.\d+\n$/)
    expect((await runProgram(["--completions", "bash"])).stdout).toContain("complete -F _reins reins")
    const schema = JSON.parse((await runProgram(["schema"])).stdout)
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema")
    expect(Object.keys(schema.$defs)).toEqual(expect.arrayContaining(["TextEvent", "DoneEvent", "AgentRunResult"]))
    expect(schema.$defs.AgentRunResult.required).not.toContain("sessionId")
  })
})
