/** Shared by a file of tests: one browser, a server for each test, and pages that must end without a complaint. */
import { afterAll, assert, beforeAll } from "vitest"
import { type Browser, startBrowser } from "./browser.ts"
import type { Page, PageOptions } from "./page.ts"
import { linkOf, type ScriptedServer, startServer } from "./scriptedServer.ts"
import { type Scenario, scenarios } from "./states.ts"

export interface Shown extends AsyncDisposable {
  readonly page: Page
  readonly server: ScriptedServer
  /** Another tab of the same link. */
  readonly tab: () => Promise<Page>
}

export interface Suite {
  readonly browser: () => Browser
  readonly show: (scenario: string | Scenario, options?: PageOptions & { readonly direction?: "rtl" }) => Promise<Shown>
}

export const listed = `document.querySelector("#conversations").children.length > 0`
/** All rows are drawn, and nothing is replayed any more. */
export const settled = `document.querySelector("#conversations").children.length > 0 && !document.querySelector("#link:not([hidden])")`

export const browserSuite = (): Suite => {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await startBrowser(process.env["REINS_CHROMIUM"] ?? "chromium")
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())
  const started = () => {
    if (browser === undefined) throw new Error("no browser yet")
    return browser
  }
  return {
    browser: started,
    show: async (input, options = {}) => {
      const scenario = typeof input === "string" ? scenarios[input] : input
      if (scenario === undefined) throw new Error(`no scenario ${input}`)
      const server = await startServer(scenario, options)
      const pages: Array<Page> = []
      const tab = async () => {
        const page = await started().page(linkOf(server, scenario.current ?? "c1"), options)
        pages.push(page)
        await page.until(listed)
        return page
      }
      const page = await tab()
      return {
        page,
        server,
        tab,
        [Symbol.asyncDispose]: async () => {
          const problems = pages.flatMap((each) => each.problems)
          for (const each of pages) await each.close()
          await server[Symbol.asyncDispose]()
          assert.deepStrictEqual(problems, [])
        }
      }
    }
  }
}
