/** Wrong command lines: the culprit, the cure and the exit code; stdout has nothing, and no agent is started. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runHere } from "./programHere.ts"

const directory = mkdtempSync(join(tmpdir(), "reins-wrong-"))
const started = join(directory, "started")
const path = process.env["PATH"]

const file = (name: string, content: string) => {
  writeFileSync(join(directory, name), content)
  return join(directory, name)
}

/** Agents that leave a trace of their start. */
beforeAll(() => {
  const bin = join(directory, "bin")
  mkdirSync(bin)
  for (const name of ["claude", "gemini", "codex", "opencode", "pi"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> ${started}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  process.env["PATH"] = `${bin}:/usr/bin:/bin`
})
afterAll(() => {
  process.env["PATH"] = path
  rmSync(directory, { recursive: true, force: true })
})

const bad = file("bad.json", "{x}")
const list = file("list.json", "[]")

/** The words behind `reins`, and what is said of each of their problems. */
const table: ReadonlyArray<readonly [ReadonlyArray<string>, string, ...ReadonlyArray<string>]> = [
  [["rum", "hi"], "reins: rum is not a command. Did you mean run?"],
  [["fix it"], 'reins: "fix it" is not a command. As a prompt: reins run "fix it"'],
  [["sessions", "lits"], "reins sessions: lits is not a command of sessions. Did you mean list?"],
  [["run"], 'reins run: the prompt is missing: reins run "…", or - to read it from stdin'],
  [["run", " "], "reins run: prompt: is empty"],
  [["run", "fix", "it"], 'reins run: "it" is too much: put the prompt in quotes: reins run "fix it"'],
  [["run", "-"], "reins run: -: nothing came on stdin"],
  [["run", "-v what"], 'reins run: a prompt that begins with - goes behind --: reins run -- "-v what"'],
  [
    ["run", "--agent", "cluade", "x"],
    "reins run: --agent cluade: not known. Did you mean claude? (claude, gemini, codex, opencode, pi, acp, demo; reins agents lists the others)"
  ],
  [
    ["replay", "--agent", "copilot", "wire.ndjson"],
    "reins replay: --agent copilot: is an agent of the Agent Client Protocol, which is not supported here. claude, gemini, codex, opencode or pi"
  ],
  [
    ["chat", "--agent", "copliot"],
    "reins chat: --agent copliot: not known. Did you mean copilot? (claude, gemini, codex, opencode, pi, acp, demo; reins agents lists the others)"
  ],
  [
    ["run", "--agent", "copilot", "--max-turns", "3", "x"],
    "reins run: --max-turns: copilot has no such limit; claude and gemini have. --timeout 10m limits copilot"
  ],
  [["run", "--agnt", "claude", "x"], "reins run: --agnt is not known. Did you mean --agent?"],
  [["run", "-m", "opus", "x"], "reins run: -m is not known. Did you mean --model?"],
  [
    ["run", "x", "--resume"],
    "reins run: --resume: an ID is missing. The last conversation: reins chat --continue; to choose: reins chat --resume"
  ],
  [["run", "x", "--mcp-config"], "reins run: --mcp-config: a FILE is missing"],
  [["run", "--yolo", "x"], "reins run: --yolo is a flag of gemini. Here: --permission-mode bypass"],
  [
    ["run", "--dangerously-skip-permissions", "x"],
    "reins run: --dangerously-skip-permissions is a flag of claude. Here: --permission-mode bypass"
  ],
  [
    ["run", "--permission-mode", "yolo", "x"],
    "reins run: --permission-mode yolo: not known. default, plan, accept-edits or bypass (gemini's yolo is bypass)"
  ],
  [
    ["run", "--permission-mode", "pln", "x"],
    "reins run: --permission-mode pln: not known. Did you mean plan? (default, plan, accept-edits, bypass)"
  ],
  [["run", "--timeout", "10", "x"], "reins run: --timeout 10: the unit is missing. 10s, 10m or 1h30m"],
  [["run", "--timeout", "-5s", "x"], "reins run: --timeout -5s: must be longer than 0, such as 90s or 10m"],
  [["run", "--timeout", "0s", "x"], "reins run: --timeout 0s: must be longer than 0, such as 90s or 10m"],
  [["run", "--timeout", "soon", "x"], "reins run: --timeout soon: is not a duration. 10s, 10m or 1h30m"],
  [["run", "--max-turns", "0", "x"], "reins run: --max-turns 0: must be a whole number from 1"],
  [["run", "--max-turns", "x", "x"], "reins run: --max-turns x: must be a whole number from 1"],
  [["run", "--max-turns", "1.5", "x"], "reins run: --max-turns 1.5: must be a whole number from 1"],
  [["run", "--max-budget-usd", "-1", "x"], "reins run: --max-budget-usd -1: must be more than 0"],
  [["run", "--budget", "day=5EUR", "x"], "reins run: --budget day=5EUR: budgets are in US dollars: day=5"],
  [["run", "--budget", "5", "x"], "reins run: --budget 5: the window is missing: run=5, day=5, month=5 or total=5"],
  [
    ["run", "--agent", "codex", "--max-turns", "3", "x"],
    "reins run: --max-turns: codex has no such limit; claude and gemini have. --timeout 10m limits codex"
  ],
  [
    ["run", "--agent", "gemini", "--fork", "--resume", "a", "x"],
    "reins run: --fork: gemini has no such option; claude, codex, opencode and pi have"
  ],
  [
    ["run", "--agent", "codex", "--trust", "x"],
    "reins run: --trust: codex has no such option; claude, gemini, opencode and pi have"
  ],
  [["run", "--trust", "--no-trust", "x"], "reins run: --trust contradicts --no-trust: use only one of them"],
  [["run", "--cwd", "/nope", "x"], "reins run: --cwd /nope: the directory does not exist"],
  [["run", "--add-dir", "/nope", "x"], "reins run: --add-dir /nope: the directory does not exist"],
  [
    ["run", "--database", "env:NAME", "--cwd", "work", "--add-dir", "more", "x"],
    "reins run: --cwd work: is relative, and the agent may be on another machine: name an absolute path",
    "reins run: --add-dir more: is relative, and the agent may be on another machine: name an absolute path"
  ],
  [
    ["run", "--database", "env:NAME", "--command", "/bin/true", "--budget", "day=5", "--record", "x", "x"],
    "reins run: --command: with --database, the agent is that of its home, as it is set there: leave it out",
    "reins run: --budget: with --database, budgets are those of the home's configuration: set it there",
    "reins run: --record: with --database, the lines are on another machine: leave it out"
  ],
  // A path of its home need not be here.
  [
    ["run", "--database", "nowhere", "--cwd", "/nope", "x"],
    "reins run: --database: is env:NAME, a variable that has the URL, or file:PATH, a file that you alone can read: on a command line others could read it"
  ],
  [["run", "--cwd", bad, "x"], `reins run: --cwd ${bad}: is not a directory`],
  [["run", "--fork", "x"], "reins run: --fork needs the session to fork: --resume ID or --conversation NAME"],
  [
    ["run", "--session-id", "nonsense", "x"],
    "reins run: --session-id nonsense: must be a UUID. A name of your own: --conversation nonsense"
  ],
  [["run", "--output-schema", bad, "x"], `reins run: --output-schema ${bad}: no JSON, line 1 column 2`],
  [["run", "--output-schema", "/none.json", "x"], "reins run: --output-schema /none.json: the file does not exist"],
  [
    ["run", "--mcp-config", list, "x"],
    `reins run: --mcp-config ${list}: "mcpServers" is missing: {"mcpServers": {"db": {"command": "…"}}}`
  ],
  [
    ["run", "--effort", "hugest", "x"],
    "reins run: --effort hugest: not known to claude: low, medium, high, xhigh or max"
  ],
  [["run", "--env", "FOO", "x"], "reins run: --env FOO: must be NAME=VALUE, such as --env FOO=1"],
  [["run", "--cli-arg", "--bare", "x"], "reins run: --cli-arg: its value begins with -, so write --cli-arg=--bare"],
  [
    ["run", "--json", "--output", "text", "x"],
    "reins run: --json and --output text exclude each other (--json is --output events)"
  ],
  [["run", "--output", "txt", "x"], "reins run: --output txt: not known. Did you mean text? (text, json, events)"],
  [["run", "--allowed-tools", "", "x"], "reins run: --allowed-tools: is empty; for none: --permission-mode plan"],
  [["run", "--record", "/nope/x", "x"], "reins run: --record /nope/x: the directory does not exist: /nope"],
  [["run", "--command", "/nope", "x"], "reins run: --command /nope: the program does not exist"],
  [
    ["run", "--agent", "acp", "x"],
    'reins run: --command: --agent acp needs the agent\'s program: --command "qwen --acp"'
  ],
  [
    ["run", "--agent", "acp", "--command", "/nope --acp", "x"],
    "reins run: --command /nope: the program does not exist"
  ],
  [["replay", "/none.ndjson"], "reins replay: FILE: /none.ndjson: the file does not exist"],
  [["doctor", "claude"], "reins doctor: takes no name. One agent: --agent claude"],
  [["usage", "--by", "week"], "reins usage: --by week: not known. day, month, model, cli, session or project"],
  [["compare", "--agents", "claude", "x"], "reins compare: --agents needs two: claude,codex"],
  [
    ["compare", "--agents", "claude,cluade", "x"],
    "reins compare: --agents cluade: not known. Did you mean claude? (claude, gemini, codex, opencode, pi, demo; reins agents lists the others)"
  ],
  [
    ["compare", "--agents", "claude,codex", "--model", "opus", "x"],
    "reins compare: --model opus: the agent is missing: --model claude=opus"
  ],
  [
    ["compare", "--agents", "claude,codex", "--model", "cluade=opus,gemini=flash", "x"],
    "reins compare: --model cluade: not one of --agents. Did you mean claude?",
    "reins compare: --model gemini: not one of --agents. claude or codex"
  ],
  [
    ["compare", "--agents", "claude,codex", "--model", "claude=,codex=a,codex=b", "x"],
    "reins compare: --model claude: a model is missing, as the CLI names it",
    "reins compare: --model: names codex twice"
  ],
  [["compare", "--agents", "claude,codex", "--model", ",", "x"], "reins compare: --model: is empty"],
  [
    ["compare", "--apply", "claude", "--model", "claude=opus"],
    "reins compare: --apply claude: takes no --model: the agents have worked before"
  ],
  [
    ["compare", "--apply", "claude", "x"],
    "reins compare: --apply claude: takes no prompt: the agents have worked before"
  ],
  [["chat", "--cwd", "/nope"], "reins chat: --cwd /nope: the directory does not exist"],
  [["chat", "--max-turns", "0"], "reins chat: --max-turns 0: must be a whole number from 1"],
  [
    ["usage", "--since", "soon"],
    "reins usage: --since soon: is not a time. 2026-11-23, 2026-11, 2026-11-23T10:00:00Z, or 7d ago as 7d"
  ],
  [["usage", "--zone", "Mars/X"], "reins usage: --zone Mars/X: is not a time zone. One such as Europe/Berlin or UTC"],
  [
    ["usage", "--cli", "cluade"],
    "reins usage: --cli cluade: not known. Did you mean claude? (claude, gemini, codex, opencode, pi, acp, demo)"
  ],
  [
    ["sessions", "--cli", "codx"],
    "reins sessions: --cli codx: not known. Did you mean codex? (claude, gemini, codex, opencode, pi, acp, demo)"
  ],
  [["sessions", "show"], "reins sessions show: ID is missing"],
  [
    ["config", "set", "agents.claude.modle", "x"],
    'reins config set: "agents.claude.modle" is not a key; did you mean "model"?'
  ],
  [
    ["doctor", "--agent", "cluade"],
    "reins doctor: --agent cluade: not known. Did you mean claude? (claude, gemini, codex, opencode, pi; reins agents lists the others)"
  ],
  // All at once.
  [
    ["run", "--agnt", "claude", "--timeout", "10", "--max-turns=0", "x"],
    "reins run: --agnt is not known. Did you mean --agent?",
    "reins run: --max-turns 0: must be a whole number from 1",
    "reins run: --timeout 10: the unit is missing. 10s, 10m or 1h30m"
  ],
  [
    ["sessions", "show", "--bogus", "--cli", "codx", "a"],
    "reins sessions show: --bogus is not known",
    "reins sessions show: --cli codx: not known. Did you mean codex? (claude, gemini, codex, opencode, pi, acp, demo)"
  ],
  [
    ["usage", "--by", "week", "--since", "soon"],
    "reins usage: --by week: not known. day, month, model, cli, session or project",
    "reins usage: --since soon: is not a time. 2026-11-23, 2026-11, 2026-11-23T10:00:00Z, or 7d ago as 7d"
  ],
  [
    ["run", "--agnt", "a", "--modle", "b", "x"],
    "reins run: --agnt is not known. Did you mean --agent?",
    "reins run: --modle is not known. Did you mean --model?"
  ],
  [
    ["run", "--max-turns=0", "--timeout", "10", "--agent", "cluade", "x"],
    "reins run: --agent cluade: not known. Did you mean claude? (claude, gemini, codex, opencode, pi, acp, demo; reins agents lists the others)",
    "reins run: --max-turns 0: must be a whole number from 1",
    "reins run: --timeout 10: the unit is missing. 10s, 10m or 1h30m"
  ],
  [
    ["run", "--fork", "--cwd", "/nope", "--agent", "codex", "--max-budget-usd", "1", "x"],
    "reins run: --fork needs the session to fork: --resume ID or --conversation NAME",
    "reins run: --max-budget-usd: codex has no such limit; claude has. --budget run=5 limits codex",
    "reins run: --cwd /nope: the directory does not exist"
  ]
]

describe("reins", () => {
  it.each(table.map(([args, ...problems]) => ({ args, problems })))("$args", async ({ args, problems }) => {
    const { code, stdout, stderr } = await runHere(args)
    const [, command = ""] = /^reins ?([^:]*):/.exec(problems[0] ?? "") ?? []
    const help = `Help: reins ${command === "" ? "" : `${command} `}--help`
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: `${[...problems, help].join("\n")}\n` })
    expect(existsSync(started)).toBe(false)
  })

  it("starts the agent of a command line that is right", async () => {
    await runHere(["run", "--cwd", directory, "x"])
    expect(existsSync(started)).toBe(true)
  })
})
