/**
 * Where npm puts the program behind the `codex` command, which is a script of Node's (0.169.0). From Node 22.15 on the
 * script becomes the program; before, it starts it as a child that outlives it and holds stdout open when it is killed.
 */

const platforms: Readonly<Record<string, string>> = {
  linux: "unknown-linux-musl",
  android: "unknown-linux-musl",
  darwin: "apple-darwin"
}

const architectures: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" }

/**
 * Paths to try, the best first; none where the program is not npm's. `wrapper` is the real path of the command, with
 * `process.platform` and `process.arch` beside it. Windows has no groups to signal: its wrapper stays.
 */
export const nativeCommands = (wrapper: string, platform: string, arch: string): ReadonlyArray<string> => {
  const root = /^(.*\/@openai\/codex)\/bin\/codex\.js$/.exec(wrapper)?.[1]
  const system = platforms[platform]
  const architecture = architectures[arch]
  if (root === undefined || system === undefined || architecture === undefined) return []
  const target = `${architecture}-${system}`
  const folder = `codex-${platform === "android" ? "linux" : platform}-${arch}`
  const siblings = root.slice(0, root.lastIndexOf("/"))
  const packages = [`${root}/node_modules/@openai/${folder}`, `${siblings}/${folder}`, root]
  return packages.map((directory) => `${directory}/vendor/${target}/bin/codex`)
}
