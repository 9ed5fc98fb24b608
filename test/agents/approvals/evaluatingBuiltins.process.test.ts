/**
 * Quoted text that a shell evaluates matches no wildcard of an allowing rule: by rule, and as each shell
 * that is there runs it. A command on the PATH, which nothing but an evaluation can call, notes what was run.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { fits, isEvaluatingBuiltin } from "../../../src/agents/approvals/matching.ts"
import { command, workingDirectory } from "./requests.ts"

const allows = (pattern: string, text: string) =>
  fits({ commands: [pattern] }, command(text), "allow", workingDirectory)

describe("a rule that allows", () => {
  it.each([
    ["printf *", "printf -v 'a[$(touch pwned)]' x"],
    ["test *", "test -v 'a[$(touch pwned)]'"],
    ["[ *", "[ -v 'a[$(touch pwned)]' ]"],
    ["read *", "read 'a[$(touch pwned)]'"],
    ["declare *", "declare 'a[$(touch pwned)]=1'"],
    ["*", "printf hi"],
    ["*", "'printf' hi"],
    ["*", "\\printf hi"],
    ["*", 'pr"int"f hi'],
    ["*", "$X hi"],
    ["$X*", "$XY hi"],
    ["*", "prin?f hi"],
    ["*", "{printf,-v,hi}"],
    ["*", "=printf hi"],
    ["*", "~/printf hi"],
    ["A=1 *", "A=1 printf hi"],
    ["printf -v*", "printf -v 'a[`touch pwned`]' x"],
    ["*hi", "printf hi"],
    ["* hi", '"$X" hi'],
    ["git *", "git \n\\canary"]
  ])("%j does not fit %s", (pattern, text) => expect(allows(pattern, text)).toBe(false))

  it.each([
    ["printf hi", "printf hi"],
    ["test -f a", "test -f a"],
    ["/usr/bin/printf *", "/usr/bin/printf -v hi"],
    ["*", "git 'printf'"],
    ["*", "'git' \"a\" $X"],
    ["$HOME/bin/run *", "$HOME/bin/run it"],
    ["~/run *", "~/run it"],
    ["./[ *", "./[ it"],
    ["prints *", "prints it"]
  ])("%j fits %s", (pattern, text) => expect(allows(pattern, text)).toBe(true))
})

interface Shell {
  readonly name: string
  readonly start: ReadonlyArray<string>
  readonly builtins: string
}

/** Where a shell cannot list its builtins, these are what its manual names. */
const usual =
  "echo '. : [ alias bg break builtin cat cd command continue echo eval exec exit export false fg getopts global hash jobs let local mknod print printf pwd read readonly rename return set shift source test times trap true type typeset ulimit umask unalias unset wait whence'"
const shells: ReadonlyArray<Shell> = [
  { name: "bash", start: ["bash", "--norc"], builtins: "compgen -b" },
  { name: "dash", start: ["dash"], builtins: usual },
  { name: "zsh", start: ["zsh", "-f"], builtins: "enable" },
  { name: "ksh", start: ["ksh"], builtins: "builtin" },
  { name: "mksh", start: ["mksh"], builtins: usual },
  { name: "busybox ash", start: ["busybox", "ash"], builtins: usual }
]

/** They end or stop the host's own processes, or wait for input at a terminal. */
const untried = new Set([
  "kill",
  "suspend",
  "stop",
  "logout",
  "vared",
  "fc",
  "r",
  "hist",
  "sleep",
  "cat",
  "zle",
  "ttyctl"
])

const subscripts = ["'a[$(canary)]'", "'a[$(canary)]=1'"]
const options = ["-a", "-A", "-e", "-n", "-p", "-s", "-t", "-u", "-v", "-x"]
const forms = [
  ...subscripts.flatMap((text) => [
    text,
    `x ${text}`,
    `-v ${text} x`,
    `1 -eq ${text}`,
    ...options.map((o) => `${o} ${text}`)
  ]),
  ...["canary", "x 'canary;x'", "'canary;x'", "'canary;x' EXIT", "-x canary", "-C canary", "-p canary"]
]

const attempts = (builtin: string): ReadonlyArray<string> =>
  forms.map((input) => `${builtin} ${input}${builtin === "[" ? " ]" : ""}`)

const run = (shell: ReadonlyArray<string>, script: string, path: string, cwd: string) => {
  const [program = "", ...args] = shell
  const file = join(cwd, "script")
  writeFileSync(file, script)
  const env = { PATH: path, HOME: cwd }
  return spawnSync(program, [...args, file], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
    timeout: 60_000
  })
}

const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Texts with which a shell runs `canary`. */
const evaluated = (shell: ReadonlyArray<string>, texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const directory = mkdtempSync(join(tmpdir(), "reins-builtins-"))
  try {
    const [bin, work, hits] = ["bin", "work", "hits"].map((name) => join(directory, name)) as [string, string, string]
    for (const folder of [bin, work]) mkdirSync(folder)
    writeFileSync(join(bin, "canary"), `#!/bin/sh\necho "$K" >> '${hits}'\n`)
    chmodSync(join(bin, "canary"), 0o755)
    const lines = texts.map(
      (text, index) => `K=${index}; export K\n( eval ${inShell(text)} ) </dev/null >/dev/null 2>&1`
    )
    run(shell, lines.join("\n"), `${bin}:${process.env["PATH"]}`, work)
    if (!existsSync(hits)) return []
    const found = new Set(readFileSync(hits, "utf8").split("\n").filter(Boolean).map(Number))
    return texts.filter((_, index) => found.has(index))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const isThere = ({ start: [program = "", ...args] }: Shell) =>
  spawnSync(program, [...args, "-c", ":"], { stdio: "ignore" }).status === 0

const there = shells.filter(isThere)
const missing = shells.filter((shell) => !there.includes(shell)).map(({ name }) => name)
if (missing.length > 0) {
  process.stdout.write(`!! Builtins of ${missing.join(", ")} were NOT tried: these shells are not installed here.\n`)
}

describe.each(there)("$name", ({ name, start, builtins }) => {
  it("evaluates what it is given in no builtin but those that no wildcard fits", () => {
    const listed = run(start, builtins, process.env["PATH"] ?? "", tmpdir()).stdout.split(/\s+/)
    const tried = [...new Set(listed)].filter(
      (builtin) => builtin !== "" && !builtin.includes("/") && !untried.has(builtin)
    )
    expect(tried.length).toBeGreaterThan(30)
    const found = evaluated(start, tried.flatMap(attempts))
    const names = new Set(found.map((text) => text.split(" ", 1)[0] ?? ""))
    expect(names).toContain("eval")
    if (name === "bash")
      for (const known of ["printf", "test", "[", "read", "declare", "let"]) expect(names).toContain(known)
    expect([...names].filter((builtin) => !isEvaluatingBuiltin(builtin))).toEqual([])
    // However the names are quoted: what a wildcard fits evaluates nothing.
    expect(found.filter((text) => allows("*", text))).toEqual([])
  })
})
