/** The page of "A web UI of your own" in Chromium, as it is printed there: a person who reloads decides what was asked before. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, it } from "vitest"
import { type Browser, startBrowser } from "../../tools/browser/browser.ts"
import { blocks } from "../../tools/docs/kit/pages.ts"
import { clear, directory, env } from "../../tools/docs/kit/stage.ts"

/** Exports of the block. */
interface Ui {
  readonly start: () => Promise<{ readonly base: string; readonly link: string; readonly close: () => Promise<void> }>
}

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser(process.env["REINS_CHROMIUM"] ?? "chromium")
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await clear()
})

const has = (words: string) => `document.querySelector("#log").innerText.includes(${JSON.stringify(words)})`

it("is answered after a reload, and says what came of it", async () => {
  const block = blocks.find(({ page, remark }) => page === "docs/web-ui.md" && remark?._tag === "file")
  const file = join(directory, "agentUi.ts")
  writeFileSync(file, block?.code ?? assert.fail("the page has no file"))
  process.env["PATH"] = env.PATH // `claude` is the demo agent
  process.env["REINS_DEMO_PACE_MS"] = "0"
  const { start }: Ui = await import(file)
  const ui = await start()
  try {
    const page = await browser.page(ui.link)
    await page.until(`document.activeElement.id === "prompt"`)
    await page.type("what is this project?")
    await page.click("text=Send")
    await page.until(`document.querySelector("fieldset pre").textContent.includes("node --version")`)
    await page.open(`${ui.base}/`) // a reload: what came before is shown again, and what is open can be decided
    await page.until(has("node --version"))
    await page.click("text=allow")
    await page.until(`${has("allow by caller")} && ${has("completed")} && !document.querySelector("fieldset")`)
    assert.deepStrictEqual(page.problems, [])
    await page.close()

    const stranger = await browser.page(`${ui.base}/`)
    assert.isNull(await stranger.evaluate(`document.querySelector("#log")`))
    await stranger.close()
  } finally {
    await ui.close()
  }
})
