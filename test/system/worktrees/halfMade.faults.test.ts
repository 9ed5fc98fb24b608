/** A worktree that another command is just making has an empty file, of which git dies. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { findCommand } from "../../../src/system/process/findCommand.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { findRepository } from "../../../src/system/worktrees/git.ts"
import { makeWorktree } from "../../../src/system/worktrees/worktree.ts"
import { leftIn, makeRepository, put } from "../../kit/repository.ts"
import { makeDirectory } from "../../kit/temporary.ts"

/** Stands for git: the other's worktree is half made when `command` is called first, and whole after git has died of it. */
const gitThatMeets = (git: string, other: string, command: string, calls: string) => `#!/bin/sh
[ "$1" = worktree ] || exec "${git}" "$@"
[ "$2" != ${command} ] || [ -e "${calls}" ] || : > "${other}/commondir"
[ "$2" != ${command} ] || echo "$2" >> "${calls}"
"${git}" "$@"
code=$?
[ "$code" = 0 ] || echo ../.. > "${other}/commondir"
exit "$code"
`

describe("a worktree that another command is making at this moment", () => {
  layer(NodeServices.layer, { excludeTestServices: true })((it) => {
    it.effect.each(["list", "add", "remove"])("is waited for by git worktree %s", (command) =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const [bin, other] = [yield* makeDirectory, join(repository, ".git/worktrees/other")]
        mkdirSync(other, { recursive: true })
        put(other, { commondir: "../..\n", gitdir: "/nowhere/.git\n", HEAD: "ref: refs/heads/other\n" })
        const git = yield* findCommand("git", (process.env["PATH"] ?? "").split(":"))
        const calls = join(bin, "calls")
        writeFileSync(join(bin, "git"), gitThatMeets(git ?? "", other, command, calls))
        chmodSync(join(bin, "git"), 0o755)
        const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}` }
        const { directory } = yield* Effect.scoped(Effect.flatMap(findRepository(repository), makeWorktree)).pipe(
          Effect.provideService(HostEnvironment, env)
        )
        assert.deepStrictEqual(readFileSync(calls, "utf8").trim().split("\n"), [command, command])
        assert.isFalse(existsSync(directory))
        rmSync(other, { recursive: true })
        assert.deepStrictEqual(leftIn(repository), [])
      })
    )
  })
})
