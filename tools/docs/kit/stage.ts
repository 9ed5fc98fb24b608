// Where the examples of the pages run: a folder in which `reins` is this build, and the CLIs on PATH are programs
// with no model behind them: for `claude` the demo agent, for the others fakes that say hello. `git` has a small diff;
// `tern` is the agent that "Adding a CLI" adds.
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { versions } from "../../../src/cli/versions.ts"
import { FakeCli, Step } from "../../../src/testing.ts"
import { root } from "./pages.ts"

/** Inside the project, so that its own name resolves to its own build. */
mkdirSync(join(root, ".cache"), { recursive: true })
export const directory = mkdtempSync(join(root, ".cache", "docs-"))
const bin = join(directory, "bin")
mkdirSync(bin)

const put = (name: string, script: string) => {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, name), 0o755)
}

const node = `exec '${process.execPath}'`
const program = (name: string, version: string, command: string) =>
  put(name, `[ "$1" = --version ] && { echo ${version}; exit; }\n${command} "$@"`)

const script = [Step.text("Hello from a script.")]
const fakes = {
  gemini: await FakeCli.install(FakeCli.gemini(script)),
  codex: await FakeCli.install(FakeCli.codex(script)),
  opencode: await FakeCli.install(FakeCli.opencode(script)),
  pi: await FakeCli.install(FakeCli.pi(script))
} as const

put("reins", `${node} '${join(root, "dist/program.js")}' "$@"`)
const realGit = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git")
put("git", `[ "$*" = diff ] && { echo '+ 1'; exit; }\nexec '${realGit}' "$@"`)
put("tern", `${node} '${join(root, "fixtures/programs/tern.mjs")}' "$@"`)
program("claude", versions.claude.testedVersion, `${node} '${join(root, "fixtures/programs/demo-agent.mjs")}'`)
for (const id of ["gemini", "codex", "opencode", "pi"] as const)
  program(id, versions[id].testedVersion, `exec '${fakes[id].command}'`)

export const env = {
  ...process.env,
  PATH: [bin, join(process.execPath, ".."), process.env["PATH"]].join(delimiter),
  REINS_DEMO_PACE_MS: "0",
  NO_COLOR: "1"
}

export const clear = async () => {
  for (const fake of Object.values(fakes)) await fake[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
}
