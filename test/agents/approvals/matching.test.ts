/** Requests that fit a match, that must not fit an allowing one, and that must not slip past a denying one. */
import { describe, expect, it } from "vitest"
import { fits, type Mode } from "../../../src/agents/approvals/matching.ts"
import type { Match } from "../../../src/contract/Rule.ts"
import { command, edit, request, workingDirectory } from "./requests.ts"

const matches = (match: Match, input: ReturnType<typeof request>, mode: Mode = "allow") =>
  fits(match, input, mode, workingDirectory)

describe("tools, kinds and nothing", () => {
  it.each<[string, Match, boolean]>([
    ["nothing given", {}, true],
    ["the name", { tools: ["mcp__db__query"] }, true],
    ["a wildcard", { tools: ["mcp__db__*"] }, true],
    ["a wildcard within", { tools: ["mcp__*__query"] }, true],
    ["a wildcard for nothing", { tools: ["mcp__db__query*"] }, true],
    ["wildcards that overlap", { tools: ["mcp__db__que*query"] }, false],
    ["a part of the name", { tools: ["mcp__db"] }, false],
    ["another case", { tools: ["MCP__db__query"] }, false],
    ["a dot, which is a dot", { tools: ["mcp..db..query"] }, false],
    ["no tools", { tools: [] }, false],
    ["the kind", { kinds: ["read", "mcp"] }, true],
    ["another kind", { kinds: ["read"] }, false],
    ["one of two", { tools: ["*"], kinds: ["read"] }, false]
  ])("%s", (_, match, expected) => {
    const input = request({ toolName: "mcp__db__query", kind: "mcp" })
    expect(matches(match, input, "allow")).toBe(expected)
    expect(matches(match, input, "deny")).toBe(expected)
  })
})

describe("paths", () => {
  it.each<[string, string, boolean]>([
    ["src/**", "/w/project/src/a/b.ts", true],
    ["src/**", "/w/project/src/.env", true],
    ["src/**", "/w/project/src/.git/config", true],
    ["src/**", "src/a.ts", true],
    ["src/**", "src/../../etc/passwd", false],
    ["src/**", "/w/project/src/../../../etc/passwd", false],
    ["src/**", "/w/project/srcs/a", false],
    ["src/", "/w/project/src/a/b", true],
    ["./src/**", "/w/project/src/a", true],
    ["src/../lib/*", "/w/project/lib/a", true],
    ["../other/**", "/w/other/a", true],
    ["../other/**", "/w/project/other/a", false],
    ["*.ts", "/w/project/a.ts", true],
    ["*.ts", "/w/project/b/a.ts", false],
    ["**/*.{ts,js}", "/w/project/b/a.js", true],
    ["/etc/*", "/etc/passwd", true],
    ["/etc/*", "/w/project/etc/passwd", false],
    ["**", "/etc/passwd", false],
    ["/**", "/etc/passwd", true],
    ["*", "/w/project/a\nb", true],
    ["*.ts", "/w/project/a.ts\n", false],
    ["SRC/*", "/w/project/src/a", false]
  ])("%s and %j: %s", (glob, path, expected) => {
    expect(matches({ paths: [glob] }, edit(path), "allow")).toBe(expected)
    expect(matches({ paths: [glob] }, edit(path), "deny")).toBe(expected)
  })

  it("a rule that allows needs all of them, one that denies any", () => {
    const both = edit("/w/project/src/a", "/etc/passwd")
    expect(matches({ paths: ["src/**"] }, both, "allow")).toBe(false)
    expect(matches({ paths: ["src/**", "/etc/*"] }, both, "allow")).toBe(true)
    expect(matches({ paths: ["src/**"] }, both, "deny")).toBe(true)
  })

  it.each<Mode>(["allow", "deny"])("none fit no glob: %s", (mode) => {
    expect(matches({ paths: ["/**"] }, edit(), mode)).toBe(false)
    expect(matches({ paths: ["/**"] }, request(), mode)).toBe(false)
  })

  it("a NUL is allowed nowhere", () => expect(matches({ paths: ["/**"] }, edit("/w/project/a\0"))).toBe(false))

  it("the working directory is not a glob", () => {
    const within = (directory: string, path: string) => fits({ paths: ["*"] }, edit(path), "allow", directory)
    expect(within("/w/[ab]", "/w/[ab]/x")).toBe(true)
    expect(within("/w/[ab]", "/w/a/x")).toBe(false)
    expect(within("/w/*", "/w/other/x")).toBe(false)
    expect(within("/", "/x")).toBe(true)
    expect(fits({ paths: ["../x"] }, edit("/w/x"), "allow", "/w/[ab]")).toBe(true)
  })
})

describe("commands", () => {
  it.each<[string, string, boolean]>([
    ["git *", "git status", true],
    ["git *", "  git status\n", true],
    ["git *", "git", false],
    ["git *", "gitx status", false],
    ["git *", "A=1 git status", false],
    ["A=1 git *", "A=1 git status", true],
    ["* status", "LD_PRELOAD=x.so git status", false],
    ["* --dry-run", "rm -rf / # --dry-run", false],
    ["*", "ls", true],
    ["*", "", false],
    ["*", "A=1", false],
    ["git *", 'git commit -m "a; b && c | d > e (f)\n\ng"', true],
    ["git *", "git commit -m 'a; `b` $(c)'", true],
    ["git *", 'git log "$HOME" $HOME', true],
    ["git *", "git log a#b", true],
    ["find *", "find . -name x \\;", true],
    ["grep *", 'grep "a$" b', true]
  ])("a rule that allows %s, and %j: %s", (pattern, text, expected) =>
    expect(matches({ commands: [pattern] }, command(text))).toBe(expected)
  )

  it.each(
    [
      ["; x", "&& x", "|| x", "| x", "& x", "&", "\nx", "\r\nx", "\rx", "> f", "< f", "<(x)", ">(x)", "$(x)", "`x`"],
      ['"$(x)"', '"`x`"', `\${a@P}`, `"\${a:-x}"`, "$[x]", "$'\\'; x'", '$"x"', "$a[x]", "(x)", "a\\\n; x", "a \\\n b"],
      [
        "# x",
        "'a",
        '"a',
        "a\\",
        "'a\\' '; x; '",
        "a\0b",
        "'a\0'",
        "a\u00a0b",
        "a\u2028b",
        "a\u200bb",
        "a\x1bb",
        "a\x85b"
      ]
    ].flat()
  )("%j never passes", (rest) => {
    expect(matches({ commands: ["git *", "*"] }, command(`git ${rest}`))).toBe(false)
    expect(matches({ commands: [`git ${rest}`] }, command(`git ${rest}`))).toBe(false)
  })

  it.each(["! rm", "time rm", "{ rm", "coproc rm", "if rm", "A=1 ! rm"])("%s is not a simple command", (text) =>
    expect(matches({ commands: ["*"] }, command(text))).toBe(false)
  )

  it("without a command none fits", () => expect(matches({ commands: ["*", /.*/] }, request())).toBe(false))

  it.each(["g", "y"])("an expression with %s is the same each time", (flags) => {
    const commands = [new RegExp("git status", flags)]
    const tries = [1, 2, 3].map(() => matches({ commands }, command("git status")))
    expect(tries).toEqual([true, true, true])
  })

  it("an expression that begins where it is told keeps to that", () =>
    expect(matches({ commands: [/git status/y] }, command("x; git status"))).toBe(false))
  it("an expression gets the text as it is", () =>
    expect(matches({ commands: [/^ls; git status$/] }, command("ls; git status"))).toBe(true))
})

describe("a command that may be another one than is shown", () => {
  const visible = { ...command("git status"), isCommandUncertain: true }
  it.each<[string, Match, ReturnType<typeof request>, boolean, boolean]>([
    ["its very text", { commands: ["git status"] }, visible, false, true],
    ["a wildcard", { commands: ["*"] }, visible, false, true],
    ["an expression", { commands: [/./] }, visible, false, true],
    ["another command", { commands: ["rm *"] }, visible, false, true],
    ["another tool", { tools: ["Edit"], commands: ["rm *"] }, visible, false, false],
    ["no commands", { tools: ["Bash"] }, visible, true, true],
    ["a command that is not told", { commands: ["*", /^/] }, request(), false, true],
    ["a file, which is not a command", { commands: ["*", /^/] }, edit("/a"), false, false]
  ])("%s", (_, match, input, isAllowed, isDenied) => {
    expect(matches(match, input, "allow")).toBe(isAllowed)
    expect(matches(match, input, "deny")).toBe(isDenied)
  })
})

describe("the command of a tool that is not a shell", () => {
  it.each(["mcp", "other", "read"] as const)("of a tool of the kind %s is only denied", (kind) => {
    const input = request({ kind, command: "git status", input: { host: "production", command: "git status" } })
    expect(matches({ commands: ["git *", /^git status$/] }, input, "allow")).toBe(false)
    expect(matches({ commands: ["git *"] }, input, "deny")).toBe(true)
  })
})
