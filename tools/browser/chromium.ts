/** A Chromium of this machine, else the distribution's package, installed once; or the reason why it is missing. */
import { spawnSync } from "node:child_process"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/** Some distributions have a command of that name that only says where to get it. */
const runs = (command: string): boolean => {
  const { status, stdout } = spawnSync(command, ["--version"], { encoding: "utf8", timeout: 30_000 })
  return status === 0 && /\b\d+\.\d+/.test(stdout)
}

const install = (): string | undefined => {
  if (spawnSync("apt-get", ["--version"]).status !== 0) return "apt-get is not there to install the package chromium"
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"]
  const steps = [
    ["apt-get", "update"],
    ["apt-get", "install", "-y", "--no-install-recommends", "chromium"]
  ]
  for (const step of steps) {
    const [command = "", ...args] = [...asRoot, ...step]
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    const { status, stderr } = spawnSync(command, args, { env, encoding: "utf8", timeout: 300_000 })
    if (status !== 0) return `${step.join(" ")}: ${stderr?.trim().split("\n").at(-1) ?? "failed"}`
  }
  return undefined
}

export const findChromium = (): { readonly command: string } | { readonly reasons: ReadonlyArray<string> } => {
  const found = names.find(runs)
  if (found !== undefined) return { command: found }
  const reason = install()
  const installed = names.find(runs)
  if (installed !== undefined) return { command: installed }
  return { reasons: [`none of ${names.join(", ")} runs here`, reason ?? "the package chromium has none of them"] }
}
