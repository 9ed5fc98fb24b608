/**
 * Long conversations: ten thousand messages, and a tab that is open for days. The page stays light, wherever the reader
 * is.
 */
import { assert, describe, it } from "vitest"
import { many } from "../../tools/browser/hostile.ts"
import type { Page } from "../../tools/browser/page.ts"
import { done, me, run, say } from "../../tools/browser/rows.ts"
import { browserSuite } from "../../tools/browser/suite.ts"

const suite = browserSuite()
const has = (text: string) => `document.querySelector("main").innerText.includes(${JSON.stringify(text)})`
const count = (page: Page, selector: string) =>
  page.evaluate<number>(`document.querySelectorAll(${JSON.stringify(selector)}).length`)

/** In MB, after garbage collection. */
const heap = async (page: Page) => {
  await page.send("HeapProfiler.collectGarbage")
  return page.evaluate<number>("performance.memory.usedJSHeapSize / 1e6")
}
/** The longest frame among so many, in ms. */
const worstFrame = (page: Page, frames: number) =>
  page.evaluate<number>(`new Promise((resolve) => {
    let last = performance.now(), worst = 0, n = 0
    const look = (now) => { if (n > 2) worst = Math.max(worst, now - last); last = now; if (++n < ${frames}) requestAnimationFrame(look); else resolve(worst) }
    requestAnimationFrame(look)
  })`)
const byHand = `document.dispatchEvent(new WheelEvent("wheel"))`
/** Articles of the page: three chunks of 200 turns, each with its message, and the end. */
const mostArticles = 4 * 400
const mostElements = 40_000

describe("ten thousand messages", () => {
  it("come 200 turns at a time as the reader goes up, and keep their place", async () => {
    await using visible = await suite.show(many)
    const { page } = visible
    await page.until(has("It reads line 4999"))
    assert.strictEqual(await count(page, ".turn"), 200)
    await page.evaluate(
      `(() => { const m = document.querySelector("main"); ${byHand}; m.scrollTop = 10; window.top1 = document.querySelector("#log").firstElementChild; window.before = window.top1.getBoundingClientRect().top })()`
    )
    await page.until(`document.querySelectorAll(".turn").length >= 400`)
    assert.isBelow(await page.evaluate<number>(`Math.abs(window.top1.getBoundingClientRect().top - window.before)`), 4)
  })

  it("are all there, in order, each once, with only those near the reader in the page", async () => {
    await using visible = await suite.show(many)
    const { page, server } = visible
    await page.until(has("It reads line 4999"))
    const before = await heap(page)
    await page.evaluate(`(async () => {
      const more = document.querySelector("#earlier")
      while (!more.hidden) {
        more.querySelector("button").click()
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })()`)
    assert.strictEqual(await count(page, ".chunk"), 24)
    await page.until(`document.querySelectorAll("article").length <= ${mostArticles}`)
    assert.isBelow(await count(page, "*"), mostElements)
    const after = await heap(page)
    assert.isBelow(after, 200, `${before} MB before`)

    const read = await page.evaluate<{ texts: ReadonlyArray<string>; most: number }>(`(async () => {
      const texts = []
      let most = 0
      ${byHand}
      for (const chunk of [...document.querySelectorAll(".chunk")]) {
        for (let i = 0; i < 100 && chunk.childElementCount === 0; i++) {
          chunk.scrollIntoView()
          await new Promise((resolve) => requestAnimationFrame(resolve))
        }
        for (const each of chunk.querySelectorAll(".message .bubble")) texts.push(each.textContent.split(":")[0])
        most = Math.max(most, document.querySelectorAll("article").length)
      }
      for (const each of document.querySelectorAll("#log > .message .bubble")) texts.push(each.textContent.split(":")[0])
      return { texts, most }
    })()`)
    assert.deepStrictEqual(
      read.texts,
      Array.from({ length: 5000 }, (_, i) => `Question ${i + 1}`)
    )
    assert.isAtMost(read.most, mostArticles)

    // The end stays as quick as ever.
    await page.evaluate(`document.querySelector("#latest").click()`)
    await page.until(has("It reads line 4999"))
    await page.evaluate(`document.querySelector("#prompt").focus()`)
    const frames = worstFrame(page, 40)
    for (let i = 0; i < 20; i++) {
      await page.type("x")
      server.say("c1", say(`piece ${i} `, "turn-4999"))
    }
    assert.isBelow(await frames, 500)
    await page.until(has("piece 19"))
    assert.strictEqual(await page.evaluate(`document.querySelector("#prompt").value`), "x".repeat(20))
    process.stdout.write(
      `heap: ${before.toFixed(1)} MB, with all ${after.toFixed(1)} MB; at most ${read.most} articles\n`
    )
  })

  it("come and go while the reader scrolls up and down, without a jump or a long frame", async () => {
    await using visible = await suite.show(many)
    const { page } = visible
    await page.until(has("It reads line 4999"))
    const scrolled = await page.evaluate<{ wrong: ReadonlyArray<string>; worst: number; away: number }>(`(async () => {
      const main = document.querySelector("main")
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const wrong = []
      let worst = 0
      let away = 0
      for (const [way, steps] of [[-300, 450], [300, 450]])
        for (let i = 0; i < steps; i++) {
          ${byHand}
          const top = main.getBoundingClientRect().top
          const seen = [...document.querySelectorAll("article")].find((each) => each.getBoundingClientRect().bottom > top + 300)
          main.scrollTop += way
          const then = seen.getBoundingClientRect().top
          const began = performance.now()
          await frame()
          worst = Math.max(worst, performance.now() - began)
          const movedBy = () => (seen.isConnected ? seen.getBoundingClientRect().top - then : Infinity)
          // A busy machine may show one frame before its place is corrected; a jump stays.
          for (let n = 0; n < 3 && Math.abs(movedBy()) > 24; n++) await frame()
          const moved = movedBy()
          if (Math.abs(moved) > 24) wrong.push(way + ", step " + i + ": moved by " + moved)
          away = Math.max(away, [...document.querySelectorAll(".chunk")].filter((each) => each.childElementCount === 0).length)
        }
      return { wrong, worst, away }
    })()`)
    assert.deepStrictEqual(scrolled.wrong, [])
    assert.isBelow(scrolled.worst, 1500)
    assert.isAtLeast(scrolled.away, 1)
    assert.isAtMost(await count(page, "article"), mostArticles)
    process.stdout.write(`the longest of 900 frames while scrolling: ${Math.round(scrolled.worst)} ms\n`)
  })
})

describe("a tab that is open for days", () => {
  const exchange = (i: number) => [
    me(`m${i}`, `Question ${i}`),
    run({ turn: `t${i}`, message: `m${i}` }),
    say(`Answer ${i}.`, `t${i}`),
    done({}, `t${i}`)
  ]

  it("keeps no more of what it was told than of what is fetched, and gives it back as it was", async () => {
    await using visible = await suite.show({ rows: exchange(0) })
    const { page, server } = visible
    await page.until(has("Answer 0."))
    for (let i = 1; i < 1100; i++) {
      server.say("c1", ...exchange(i))
      if (i % 100 === 0) await page.until(has(`Answer ${i}.`))
    }
    await page.until(has("Answer 1099."))
    await page.until(`document.querySelectorAll("article").length <= ${mostArticles}`)
    assert.isAtLeast(await count(page, ".chunk"), 4)
    const texts = await page.evaluate<ReadonlyArray<string>>(`(async () => {
      const texts = []
      ${byHand}
      for (const chunk of [...document.querySelectorAll(".chunk")]) {
        for (let i = 0; i < 100 && chunk.childElementCount === 0; i++) {
          chunk.scrollIntoView()
          await new Promise((resolve) => requestAnimationFrame(resolve))
        }
        texts.push(...[...chunk.querySelectorAll(".bubble")].map((each) => each.textContent))
      }
      texts.push(...[...document.querySelectorAll("#log > .message .bubble")].map((each) => each.textContent))
      return texts
    })()`)
    assert.deepStrictEqual(
      texts,
      Array.from({ length: 1100 }, (_, i) => `Question ${i}`)
    )
  })
})
