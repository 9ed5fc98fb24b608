/** A prompt and every option reach the real Codex, and its own files stay unchanged. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { call, say } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { mcpServerPath } from "./rig/claude.ts"
import { openCodex, shell } from "./rig/codex.ts"

const bypass = { permissionMode: "bypass" } as const

describe("prompts and options", () => {
  it.each([
    ["200 KB", "long prompt ".repeat(17_000)],
    ["a leading dash", "--help me please"],
    ["a lone flag", "-h"],
    ["a leading slash", "/compact the text"],
    ["a subcommand", "resume"]
  ])("hands over %s as it is", async (_, words) => {
    await using real = await openCodex([say("ok")])
    expect((await real.collect({ prompt: words })).result.outcome).toBe("completed")
    expect((await real.api.arrival(1)).prompt).toBe(words)
  })

  it.each(["-h", "resume", "two words"])("hands over %j as an argument, too", async (words) => {
    await using real = await openCodex([say("ok")], { agent: { promptVia: "argument" } })
    const first = (await real.collect({ prompt: words })).result
    expect((await real.api.arrival(1)).prompt).toBe(words)
    await real.collect({ prompt: words, sessionId: first.sessionId })
    expect((await real.api.arrival(2)).prompts.filter((input) => input === words)).toHaveLength(2)
  })

  it("passes every option on", async () => {
    await using real = await openCodex([say("ok")])
    const { events, result } = await real.collect({
      systemPrompt: '- You are "brief".\u007f',
      appendSystemPrompt: 'And\n"kind" \u007f $HOME ü 🙂',
      model: "gpt-5.4",
      effort: "low",
      permissionMode: "plan",
      additionalDirectories: [real.sandbox.home],
      extraArgs: ["-c", "web_search=disabled"]
    })
    const request = await real.api.arrival(1)
    expect(result.outcome).toBe("completed")
    expect(request.systemPrompt).toContain('- You are "brief".')
    expect(request.systemPrompt).toContain('And\n"kind" \u007f $HOME ü 🙂')
    expect(request.body.model).toBe("gpt-5.4")
    expect(request.body.reasoning?.effort).toBe("low")
    expect(request.toolNames).toContain("exec_command")
    expect(request.toolNames).not.toContain("web_search")
    // The CLI does not know this model, and says so.
    expect(ofType(events, "notice")).toMatchObject([{ kind: "warning", message: expect.stringContaining("gpt-5.4") }])
  })

  it("touches nothing of the user's configuration", async () => {
    await using real = await openCodex([say("ok")])
    const config = join(real.sandbox.home, ".codex", "config.toml")
    const before = readFileSync(config, "utf8")
    await real.collect({ mcpServers: { tiny: { command: process.execPath, args: [mcpServerPath], env: { A: "b" } } } })
    expect(readFileSync(config, "utf8")).toBe(before)
    expect(readdirSync(real.sandbox.work)).toEqual([".git"])
  })

  it("records what was printed, without the key", async () => {
    await using real = await openCodex([call(shell("echo $CODEX_API_KEY")), say("Done.")])
    const record = join(real.sandbox.tmp, "wire.ndjson")
    await real.collect({ ...bypass, record })
    const recorded = readFileSync(record, "utf8")
    expect(recorded).toContain("<redacted>")
    expect(recorded).not.toContain("made-up-key")
  })
})
