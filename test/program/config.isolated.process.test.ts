/** `reins config`, and what a configured command line does. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventsOf } from "./printedEvents.ts"
import { runHere } from "./programHere.ts"
import { runProgram, standIn, wire, writeTemp } from "./programProcess.ts"

const put = (name: string, text: string) => {
  const file = writeTemp(name, text)
  chmodSync(file, 0o600)
  return file
}

const config = (file: string, ...args: ReadonlyArray<string>) => {
  const [command = "", ...rest] = args
  return runHere(["config", command, "--config", file, ...rest])
}

describe("config", () => {
  it("sets, shows and removes values, and nothing else changes", async () => {
    const file = put("kept.toml", '# mine\nagent = "claude" # yes\n\n[agents.codex]\nmodel = "m"\n')
    expect(await config(file, "set", "agent", "codex")).toEqual({ code: 0, stdout: "", stderr: "" })
    await config(file, "set", "agents.claude.allowedTools", "Read, Bash(a, b)")
    await config(file, "set", 'directories."my shop".path', "~/shop")
    const text =
      '# mine\nagent = "codex" # yes\n\n[agents.codex]\nmodel = "m"\n\n[agents.claude]\nallowedTools = ["Read", "Bash(a, b)"]\n\n[directories."my shop"]\npath = "~/shop"\n'
    expect(readFileSync(file, "utf8")).toBe(text)
    expect((await config(file, "get", "agents.claude.allowedTools")).stdout).toBe("Read\nBash(a, b)\n")
    expect((await config(file, "get", "--json", "agents.claude.allowedTools")).stdout).toBe('["Read","Bash(a, b)"]\n')
    expect((await config(file, "get")).stdout).toBe(
      'agent = "codex"\nagents.codex.model = "m"\nagents.claude.allowedTools = ["Read","Bash(a, b)"]\ndirectories."my shop".path = "~/shop"\n'
    )
    expect(await config(file, "get", "agents.claude.model")).toEqual({ code: 1, stdout: "", stderr: "" })
    await config(file, "unset", 'directories."my shop"')
    await config(file, "unset", "agents.claude.allowedTools")
    expect(readFileSync(file, "utf8")).toBe(text.replace(/\nallowedTools[\s\S]*$/, "\n\n"))
    expect(await config(file, "check")).toEqual({ code: 0, stdout: `${file}: valid\n`, stderr: "" })
  })

  it("shows no token, and takes none from a command line", async () => {
    const token = `12345:${"a".repeat(35)}`
    const file = put("bot.toml", `[telegram]\ntoken = "${token}"\nowners = [42]\n`)
    expect((await config(file, "get")).stdout).toBe('telegram.token = "…"\ntelegram.owners = [42]\n')
    expect((await config(file, "get", "--json")).stdout).not.toContain(token)
    expect((await config(file, "get", "telegram.token")).stdout).toBe("…\n")
    const { code, stderr } = await config(file, "set", "telegram.token", token.replace("a", "b"))
    expect(code).toBe(2)
    expect(stderr).toContain("telegram.token does not belong on a command line, which others can see")
    expect(stderr).not.toContain("baaa")
    expect((await config(file, "set", "telegram.owners", "42, 43")).code).toBe(0)
    expect(readFileSync(file, "utf8")).toBe(`[telegram]\ntoken = "${token}"\nowners = ["42", "43"]\n`)
  })

  it("makes the file, for its owner alone", async () => {
    const file = join(dirname(put("beside", "")), "new", "reins.toml")
    expect((await config(file, "set", "agent", "codex")).code).toBe(0)
    expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
    expect((await config(file, "path")).stdout).toBe(`${file}\n`)
  })

  it("of several at once loses none", async () => {
    const file = put("crowd.toml", "")
    await Promise.all(Array.from({ length: 8 }, (_, index) => config(file, "set", `directories.d${index}.path`, "/x")))
    expect((await config(file, "get")).stdout.match(/path/g)).toHaveLength(8)
  })

  it.each([
    [["set", "agents.claude.modle", "x"], 2, '"agents.claude.modle" is not a key; did you mean "model"?'],
    [
      ["set", "agent", "gpt"],
      2,
      'agent "gpt" is not one of claude, gemini, codex, opencode, pi; `reins agents` lists the others'
    ],
    [["set", "agents.codex.allowedTools", "Read"], 1, "is not changed: agents.codex.allowedTools has no effect"],
    [["unset", "directories.shop"], 1, 'is not changed: directory "shop" has no table'],
    [["set", "directories.other.model", "x"], 1, "is not changed: directories.other has no path"],
    [["get", "a\u001b[2J"], 2, "is not a key"]
  ])("%j is refused", async (args, code, problem) => {
    const text = 'directory = "shop"\n[directories.shop]\npath = "/"\n'
    const file = put("refused.toml", text)
    const ended = await config(file, ...args)
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: "" })
    expect(ended.stderr).toContain(problem)
    expect(ended.stderr).not.toContain("\u001b")
    expect(readFileSync(file, "utf8")).toBe(text)
  })

  it("of a file with problems names them by their lines, and takes them out one by one", async () => {
    const file = put("wrong.toml", 'agnet = "x"\nagent = "codex"\n[matrix]\nusers = [1]\n')
    expect(await config(file, "check")).toMatchObject({ code: 1, stdout: "" })
    expect((await config(file, "get")).stderr).toMatch(
      /wrong\.toml:1: unknown key "agnet".*\n.*wrong\.toml:3: unknown key "matrix"/
    )
    expect((await config(file, "unset", "agnet")).stderr).toMatch(
      /changed, but the file is not valid yet:\n.*wrong\.toml:2: unknown key "matrix"/
    )
    expect(await config(file, "unset", "matrix")).toEqual({ code: 0, stdout: "", stderr: "" })
    expect(readFileSync(file, "utf8")).toBe('agent = "codex"\n')
  })
})

const body = `${wire.init}
print({ type: "assistant", message: { id: "m1", content: [{ type: "text", text: [process.cwd(), ...process.argv].join("\\n") }] } })
${wire.success}`
const printsArguments = standIn("arguments", body)

const content = (stdout: string) => {
  const text = eventsOf(stdout).flatMap((event) => (event.type === "text" ? [event.text] : []))
  const value = (flag: string) => new RegExp(`^--${flag}[=\\n](.*)$`, "m").exec(text.join(""))?.[1]
  return { directory: text.join("").split("\n")[0], model: value("model"), mode: value("permission-mode") }
}

describe("reins run", () => {
  const file = put(
    "run.toml",
    `directory = "root"\n[agents.claude]\ncommand = "${printsArguments}"\nmodel = "opus"\npermissionMode = "plan"\n[directories.root]\npath = "/"\n`
  )

  it("is as the file has it", async () => {
    const { code, stdout } = await runProgram(["run", "--json", "--config", file, "hi"])
    expect(code).toBe(0)
    expect(content(stdout)).toEqual({ model: "opus", mode: "plan", directory: "/" })
  })

  it("has what its flags say in place of it", async () => {
    const flags = ["--model", "haiku", "--permission-mode", "accept-edits", "--cwd", "/usr"]
    const { stdout } = await runProgram(["run", "--json", "--config", file, ...flags, "hi"])
    expect(content(stdout)).toEqual({ model: "haiku", mode: "acceptEdits", directory: "/usr" })
  })

  it("tells a person where the agent works", async () => {
    const { stderr } = await runProgram(["run", "--config", file, "hi"])
    expect(stderr).toBe(`reins: the agent works in /, by ${file}\n`)
  })

  it.each(["run", "chat"])("does not begin with a wrong file: %s", async (command) => {
    const wrong = put("broken.toml", "agnet = 1")
    const { code, stdout, stderr } = await runProgram([command, "--json", "--config", wrong, "hi"])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain('broken.toml:1: unknown key "agnet"; did you mean "agent"?')
  })

  it("does not read a file of the working directory, and says so", async () => {
    const directory = join(dirname(file), "theirs")
    mkdirSync(directory)
    writeFileSync(join(directory, "reins.toml"), '[agents.claude]\ncommand = "/bin/false"\n')
    const before = process.cwd()
    try {
      process.chdir(directory)
      const { code, stdout } = await runHere(["config", "check"])
      expect(code).toBe(0)
      expect(stdout).toContain("theirs/reins.toml: not read, since it is not yours alone")
    } finally {
      process.chdir(before)
    }
  })
})
