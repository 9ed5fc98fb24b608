/** The real path of the `codex` script → where the program behind it can be. */
import { assert, describe, it } from "vitest"
import { nativeCommands } from "../../../../src/cli/codex/index.ts"

const modules = "/usr/lib/node_modules/@openai"
const wrapper = `${modules}/codex/bin/codex.js`

describe("beside the npm package", () => {
  const table: ReadonlyArray<readonly [string, string, string, string]> = [
    ["linux", "x64", "codex-linux-x64", "x86_64-unknown-linux-musl"],
    ["linux", "arm64", "codex-linux-arm64", "aarch64-unknown-linux-musl"],
    ["android", "arm64", "codex-linux-arm64", "aarch64-unknown-linux-musl"],
    ["darwin", "x64", "codex-darwin-x64", "x86_64-apple-darwin"],
    ["darwin", "arm64", "codex-darwin-arm64", "aarch64-apple-darwin"]
  ]

  it.each(table)("%s %s", (platform, arch, folder, target) => {
    assert.deepStrictEqual(nativeCommands(wrapper, platform, arch), [
      `${modules}/codex/node_modules/@openai/${folder}/vendor/${target}/bin/codex`,
      `${modules}/${folder}/vendor/${target}/bin/codex`,
      `${modules}/codex/vendor/${target}/bin/codex`
    ])
  })
})

describe("no native program", () => {
  it.each([
    ["for a program that is not a script of npm's", "/usr/local/bin/codex", "linux", "x64"],
    ["for the program itself", `${modules}/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex`, "linux", "x64"],
    ["for another package", "/usr/lib/node_modules/@other/codex/bin/codex.js", "linux", "x64"],
    ["on Windows, where the wrapper stays", wrapper, "win32", "x64"],
    ["on a platform without a package", wrapper, "freebsd", "x64"],
    ["on a processor without a package", wrapper, "linux", "ia32"]
  ])("%s", (_, path, platform, arch) => {
    assert.deepStrictEqual(nativeCommands(path, platform, arch), [])
  })
})
