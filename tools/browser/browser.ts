/**
 * A headless Chromium with a profile of its own in a temporary directory, which ends with its scope: the process is
 * ended by its pid, the directory removed. It asks nothing but loopback: background networking is off, and every host
 * name but localhost resolves to nothing.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { connectDevTools } from "./devTools.ts"
import { openPage, type Page, type PageOptions } from "./page.ts"

export interface Browser {
  readonly page: (url: string, options?: PageOptions) => Promise<Page>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const flags = [
  "--headless=new",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-extensions",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--hide-scrollbars",
  "--mute-audio",
  "--no-proxy-server",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
  "--remote-debugging-port=0"
]

/** Chromium prints the address of its DevTools on stderr once they are there. */
const devToolsUrl = (process: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    const text: Array<string> = []
    if (process.stderr === null) return reject(new Error("Chromium has no stderr"))
    createInterface(process.stderr).on("line", (line) => {
      text.push(line)
      const [, url] = /^DevTools listening on (ws:\S+)/.exec(line) ?? []
      if (url !== undefined) resolve(url)
    })
    process.once("error", reject)
    process.once("exit", (code) => reject(new Error(`Chromium ended (${code}): ${text.slice(-5).join("\n")}`)))
  })

export const startBrowser = async (command: string): Promise<Browser> => {
  const profile = await mkdtemp(join(tmpdir(), "reins-browser-"))
  const isRoot = process.getuid?.() === 0
  const args = [...flags, `--user-data-dir=${profile}`, ...(isRoot ? ["--no-sandbox"] : []), "about:blank"]
  const chromium = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] })
  const exited = new Promise((resolve) => chromium.once("exit", resolve))
  const devTools = await connectDevTools(await devToolsUrl(chromium))
  return {
    page: (url, options) => openPage(devTools, url, options),
    [Symbol.asyncDispose]: async () => {
      await devTools.send("Browser.close").catch(() => chromium.kill("SIGKILL"))
      await exited
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  }
}
