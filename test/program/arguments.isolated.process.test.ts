/** However an agent's name is written on a command line and in a call, it is the one that is meant. */
import { describe, expect, it } from "vitest"
import { agentArguments } from "../../src/program/arguments.ts"
import { createAgent } from "../../src/promise.ts"
import { runProgram } from "./programProcess.ts"

describe("an agent's name on a command line", () => {
  it.each([
    ["run --agent CLAUDE hi", "run --agent claude hi"],
    ["run --agent=Codex hi", "run --agent=codex hi"],
    ["run -a GEMINI hi", "run -a gemini hi"],
    ["run -a=OpenCode", "run -a=opencode"],
    ["demo --agent DEMO", "demo --agent demo"],
    ["doctor --agent CLAUDE --agent Gemini", "doctor --agent claude --agent gemini"],
    ["run --agent Bard CLAUDE", "run --agent Bard CLAUDE"],
    ["run CLAUDE", "run CLAUDE"],
    ["run -- --agent CLAUDE", "run -- --agent CLAUDE"],
    ["run --agent", "run --agent"]
  ])("%s", (input, intended) => expect(agentArguments(input.split(" ")).join(" ")).toBe(intended))

  it("may have blanks around it", () => {
    expect(agentArguments(["run", "--agent", " Claude\t", "--agent= CODEX "])).toEqual([
      "run",
      "--agent",
      "claude",
      "--agent=codex"
    ])
  })

  it("is taken by the program, which lists the known ones for an unknown one", async () => {
    const taken = await runProgram(["run", "--agent", " DEMO ", "--timeout", "20s", "hi"])
    expect(taken).toMatchObject({ code: 0 })
    const { code, stderr } = await runProgram(["run", "--agent", "Bard", "hi"])
    expect(code).toBe(2)
    for (const word of ["--agent", "Bard", "claude", "gemini", "codex", "opencode", "pi"])
      expect(stderr).toContain(word)
  })
})

describe("an agent's name in a call", () => {
  it.each([" Claude ", "CODEX", "\tgemini\n", "openCode"])("%j", async (name) => {
    await using agent = createAgent(name as "claude")
    expect(agent.cli).toBe(name.trim().toLowerCase())
  })

  it.each(["bard", "", " ", "__proto__", "toString", undefined, null, 1, 1n, {}])(
    "%s is not one of the CLIs",
    (name) => {
      expect(() => createAgent(name as never)).toThrow(
        /^createAgent: (".*"|the first argument) is not one of claude, gemini, codex, opencode, pi(; the options follow the name: .*|; `reins agents` lists the agents that it knows besides them)?$/
      )
    }
  )
})
