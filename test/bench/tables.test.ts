/** From samples to a verdict: the parts of the measurement that are pure. */
import { describe, expect, it } from "vitest"
import { raceOf } from "../../bench/speed/race.ts"
import { inRounds } from "../../bench/speed/rounds.ts"
import { difference, median, percentile, ratio, spreadOf } from "../../bench/speed/statistics.ts"
import { markdown, spread, verdict } from "../../bench/speed/table.ts"

describe("numbers", () => {
  it("the median is the one in the middle, or lies between the two", () => {
    expect([median([9, 1, 5]), median([4, 1, 2, 9])]).toEqual([5, 3])
  })

  it("a percentile is the value that so many do not exceed", () => {
    const values = Array.from({ length: 150 }, (_, nth) => 150 - nth)
    expect([percentile(values, 0.99), percentile(values, 0.5), percentile([7], 0.99)]).toEqual([149, 75, 7])
  })

  it("samples are compared with those beside them, not with all", () => {
    expect(ratio([10, 40, 90], [5, 10, 30])).toEqual({ median: 3, min: 2, max: 4 })
    expect(difference([10, 40, 90], [5, 10, 30])).toEqual({ median: 30, min: 5, max: 60 })
  })
})

describe("rounds", () => {
  it("alternate their order, and the first one is not counted", async () => {
    const order: Array<string> = []
    const taken = await inRounds(["a", "b"] as const, 2, async (name) => order.push(name))
    expect(order.join("")).toBe("abbaab")
    expect(taken).toEqual({ a: [4, 5], b: [3, 6] })
    expect(await inRounds(["a", "b"] as const, 1, async (name) => name, 0)).toEqual({ a: ["a"], b: ["b"] })
  })
})

describe("races", () => {
  const ms = (value: number) => value
  const race = raceOf({ loop: "a loop", reins: "Reins" }, { loop: [10, 20, 30], reins: [20, 20, 90] })

  it("are compared sample by sample, and a rival is not compared with itself", () => {
    const columns = [race.column("ms", ms), race.columnTimes("× loop", "loop", ms), race.columnMore("+", "loop", ms)]
    const { head, rows } = race.table(columns, { title: "T", about: "", verdicts: [] })
    expect(head).toEqual(["", "ms", "× loop", "+"])
    expect(rows).toEqual([
      ["a loop", "20 (10 – 30)", "", ""],
      ["Reins", "20 (20 – 90)", "2 (1 – 3)", "10 (0 – 60)"]
    ])
  })

  it("give the number that a verdict is about", () => {
    expect([race.median("reins", ms), race.times("reins", "loop", ms), race.more("reins", "loop", ms)]).toEqual([
      20, 2, 10
    ])
  })
})

describe("tables", () => {
  it("a number stands with the smallest and the largest sample", () => {
    expect(spread(spreadOf([1.234, 1.111, 1.5]))).toBe("1.23 (1.11 – 1.50)")
    expect(spread(spreadOf([1234.4, 1111.2, 1500.9]))).toBe("1234 (1111 – 1501)")
  })

  it("a verdict says by how much a target is reached or missed", () => {
    expect(verdict("CPU", 1.5, 1.5, " × loop")).toBe("CPU: 1.50 × loop, target ≤ 1.5 × loop: **reached** by 0.")
    expect(verdict("CPU", 12.5, 20, " ms")).toBe("CPU: 12.5 ms, target ≤ 20 ms: **reached** by 7.50.")
    expect(verdict("CPU", 1.75, 1.5, " ×")).toBe("CPU: 1.75 ×, target ≤ 1.5 ×: **missed** by 0.25.")
  })

  it("a table is Markdown: its title, what it is about, its rows, its verdicts", () => {
    const table = { title: "T", about: "About.", head: ["", "ms"], rows: [["a", "1"]], verdicts: ["V."] }
    expect(markdown(table)).toBe("## T\n\nAbout.\n\n|  | ms |\n| --- | --- |\n| a | 1 |\n\n- V.")
  })
})
