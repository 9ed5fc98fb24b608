/** Completions: what a word can be completed with, and the scripts in each shell that is installed. Real processes. */
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import type { Completions } from "effect/cli"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { completionTarget } from "../../src/program/complete/completionTarget.ts"
import { asShell, shellWords } from "../../src/program/complete/scripts.ts"
import { main, runProgram } from "./programProcess.ts"

const root = mkdtempSync(join(tmpdir(), "reins-completions-"))
const work = join(root, "work")
const env = { XDG_STATE_HOME: join(root, "state"), XDG_CONFIG_HOME: join(root, "config") }
const complete = async (...words: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await runProgram(["complete", "fish", "--", ...words], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return stdout.trimEnd().split("\n")
}

/** Names of conversations, a CLI that lists models, and files to find. */
beforeAll(async () => {
  for (const place of [join(work, "sub"), join(root, "bin"), join(root, "config", "reins")]) {
    mkdirSync(place, { recursive: true })
  }
  writeFileSync(join(work, "a.json"), "")
  const opencode = join(root, "opencode")
  const request = join(root, "asked")
  writeFileSync(
    opencode,
    `#!/bin/sh\necho x >> ${request}\nprintf 'fake/one\\n{\\n  "name": "One"\\n}\\nfake/two\\n{}\\n'\n`
  )
  writeFileSync(
    join(root, "config", "reins", "reins.toml"),
    `[agents.opencode]\ncommand = ${JSON.stringify(opencode)}\n`
  )
  const program = join(root, "bin", "reins")
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
  for (const file of [opencode, program]) chmodSync(file, 0o755)
  for (const name of ["billing", "prices"]) {
    expect((await runProgram(["demo", "--conversation", name, "hi"], { env })).code).toBe(0)
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe("reins complete", () => {
  it("names commands, flags and their values", async () => {
    expect(await complete("re")).toEqual(["words", "replay"])
    expect(await complete("")).not.toContain("complete")
    expect(await complete("run", "--perm")).toEqual(["words", "--permission-mode"])
    expect(await complete("run", "--agent", "cl")).toEqual(["words", "claude", "cline", "claude-agent-acp"])
    expect(await complete("run", "--agent=co")).toEqual([
      "words",
      ...["codex", "copilot", "codebuddy", "cortex", "codex-acp"].map((name) => `--agent=${name}`)
    ])
    expect(await complete("compare", "--agents", "copilot,q")).toEqual(["words", "copilot,qwen", "copilot,qoder"])
    expect(await complete("compare", "--agents", "claude,code")).toEqual([
      "words",
      "claude,codex",
      "claude,codebuddy",
      "claude,codex-acp"
    ])
  })

  it("leaves files and directories to the shell", async () => {
    expect(await complete("run", "--mcp-config", "a")).toEqual(["files"])
    expect(await complete("run", "--add-dir", "")).toEqual(["directories"])
    expect(await complete("replay", "")).toEqual(["files"])
  })

  it("knows the conversations and sessions of the store", async () => {
    expect((await complete("run", "--conversation", "")).sort()).toEqual(["billing", "prices", "words"])
    const [, id = ""] = await complete("export", "")
    expect(id).toMatch(/^[\da-f-]{36}$/)
    expect(await complete("chat", "--resume", id.slice(0, 8))).toEqual(["words", id])
    expect(await complete("sessions", "move", id.slice(0, 8))).toEqual(["words", id])
    expect(await complete("sessions", "mo")).toEqual(["words", "move"])
  })

  it("creates no store, and prints nothing, without a store", async () => {
    const none = { XDG_STATE_HOME: join(root, "none"), XDG_CONFIG_HOME: join(root, "config") }
    const { stdout, stderr } = await runProgram(["complete", "bash", "--", "run", "--conversation", ""], { env: none })
    expect({ stdout, stderr, isMade: existsSync(join(root, "none", "reins", "store")) }).toEqual({
      stdout: "words\n",
      stderr: "",
      isMade: false
    })
  })

  it("asks the CLI for its models, once a day", async () => {
    for (const typed of ["", "fake/t"]) {
      const found = typed === "" ? ["words", "fake/one", "fake/two"] : ["words", "fake/two"]
      expect(await complete("run", "--agent", "opencode", "--model", typed)).toEqual(found)
    }
    expect(execFileSync("wc", ["-l", join(root, "asked")], { encoding: "utf8" })).toMatch(/^\s*1 /)
  })
})

const flag = (name: string, tag: "String" | "Boolean"): Completions.FlagDescriptor => ({
  name,
  aliases: [],
  description: undefined,
  type: { _tag: tag }
})
const command = (
  name: string,
  flags: ReadonlyArray<Completions.FlagDescriptor>,
  subcommands: ReadonlyArray<Completions.CommandDescriptor> = []
): Completions.CommandDescriptor => ({ name, description: undefined, flags, arguments: [], subcommands })

describe("what is wanted", () => {
  const run = command("run", [flag("model", "String"), flag("json", "Boolean"), flag("attach", "String")])
  const tree = command("reins", [], [run])
  it.each([
    [
      ["run", "--json", "--"],
      ["--model", "--attach", "--help"]
    ],
    [
      ["run", "--attach", "x", "--"],
      ["--model", "--json", "--attach", "--help"]
    ],
    [
      ["run", "--model", "m", "--"],
      ["--json", "--attach", "--help"]
    ],
    [["run", "--", "--"], undefined],
    [["run", "run"], undefined],
    [["run", "--json=t"], undefined]
  ])("after %j", (words, expected) => {
    const { wanted: requested } = completionTarget(tree, words)
    expect(requested._tag === "Words" ? requested.words : undefined).toEqual(expected)
  })
})

describe("the words of bash", () => {
  it.each([
    [["run", "--agent", "=", "cl"], ["run", "--agent=cl"], ["claude"]],
    [["run", "--agent", "="], ["run", "--agent="], ["claude"]],
    [["--x", "a", ":", "b"], ["--x", "a:b"], undefined],
    [["a\\ b", "'c d"], ["a b", "c d"], undefined]
  ])("%j", (input, expected, found) => {
    const { words, kept: stored } = shellWords("bash", input)
    expect(words).toEqual(expected)
    if (found !== undefined) expect(asShell("bash", ["claude"], "--agent=", stored)).toEqual(found)
  })
})

/** Lines that are typed, and what the shell makes of them. */
const typed: ReadonlyArray<readonly [string, string]> = [
  ["reins rep", "reins replay"],
  ["reins run --agent=ge", "reins run --agent=gemini"],
  ["reins run --conversation bil", "reins run --conversation billing"],
  ["reins run --mcp-config a", "reins run --mcp-config a.json"],
  ["reins run --cwd s", "reins run --cwd sub"],
  ["reins run --mcp-config=a", "reins run --mcp-config=a.json"],
  ["reins run --agent opencode --model fake/t", "reins run --agent opencode --model fake/two"]
]

const bash = `source <(reins --completions bash)
for line in "$@"; do
  IFS=' ' read -r -a COMP_WORDS <<< "\${line//=/ = }"
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  word="\${COMP_WORDS[COMP_CWORD]}"
  _reins reins "$word" ""
  printf '%s%s\\n' "\${line%"$word"}" "\${COMPREPLY[*]}"
done`

const fish = `reins --completions fish | source
for line in $argv
  set -l found (complete -C "$line" | string replace -r '\\t.*' '')
  printf '%s%s\\n' (string replace -r '[^ ]*$' '' "$line") "$found"
end`

/** An interactive shell at a terminal of its own: Tab, then a key that prints what stands there. */
const zsh = `zmodload zsh/zpty
zpty -b shell zsh -f -i
until_seen() {
  local all chunk
  repeat 400; do
    if zpty -r -t shell chunk; then all+=$chunk; [[ $all == *"$1"* ]] && break; else sleep 0.05; fi
  done
  print -r -- "$all"
}
zpty -w shell 'PS1="" PS2=""; unset zle_bracketed_paste; source <(reins --completions zsh)'
zpty -w shell 'show() { print -r -- "<<$BUFFER>>"; BUFFER="" }; zle -N show; bindkey "^X" show; print RE""ADY'
until_seen READY > /dev/null
for line in "$@"; do
  zpty -n -w shell "$line"$'\\t\\x18'
  out=$(until_seen '>>')
  print -r -- "\${\${out##*<<}%%>>*}"
done`

const installed = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0

describe.each([
  ["bash", ["-c", bash, "bash"]],
  ["zsh", ["-f", "-c", zsh, "zsh"]],
  ["fish", ["-N", "-c", fish]]
] as const)("%s", (shell, args) => {
  const isThere = installed(shell)
  if (!isThere) process.stderr.write(`SKIPPED: ${shell} is not installed: its completions were not tried\n`)

  it.skipIf(!isThere)("completes what is typed", { timeout: 60_000 }, () => {
    const lines = typed.map(([line]) => line)
    const PATH = [join(root, "bin"), process.env["PATH"]].join(delimiter)
    const printed = execFileSync(shell, [...args, ...lines], {
      cwd: work,
      encoding: "utf8",
      env: { ...process.env, ...env, PATH, HOME: root }
    })
    const found = printed.trimEnd().split("\n")
    expect(found.map((line) => line.trim().replace(/\/$/, ""))).toEqual(typed.map(([, whole]) => whole))
  })
})
