/** Days and months of zones, beside what a clock of the zone shows: every moment is in one day, and of its date. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { dayOf, monthOf } from "../../../src/money/ledger/zones.ts"

/** From −11 to +14, with changes of clocks in spring and autumn of both halves of the world, and at midnight. */
const zones = [
  "Pacific/Pago_Pago",
  "America/Los_Angeles",
  "America/Sao_Paulo",
  "America/Havana",
  "Atlantic/Azores",
  "UTC",
  "Europe/Berlin",
  "Africa/Cairo",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Pacific/Apia",
  "Pacific/Kiritimati"
] as const

const visible = (at: number, zone: string) => new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(at)

const Moment = Schema.Int.check(Schema.isBetween({ minimum: Date.UTC(2008, 0, 1), maximum: Date.UTC(2032, 0, 1) }))

const day = 86_400_000

describe("a day of a zone", () => {
  it.prop("has all moments of its date, and no other", { at: Moment, zone: Schema.Literals(zones) }, ({ at, zone }) => {
    const { starts, ends } = dayOf(at, zone)
    assert.isTrue(starts <= at && at < ends)
    assert.strictEqual(visible(starts, zone), visible(at, zone))
    assert.strictEqual(visible(ends - 1, zone), visible(at, zone))
    assert.notStrictEqual(visible(starts - 1, zone), visible(at, zone))
    assert.notStrictEqual(visible(ends, zone), visible(at, zone))
    assert.deepStrictEqual(
      [dayOf(starts, zone), dayOf(ends - 1, zone)],
      [
        { starts, ends },
        { starts, ends }
      ]
    )
    assert.strictEqual(dayOf(ends, zone).starts, ends)
  })

  it.prop("a month, too", { at: Moment, zone: Schema.Literals(zones) }, ({ at, zone }) => {
    const { starts, ends } = monthOf(at, zone)
    const monthShown = (moment: number) => visible(moment, zone).slice(0, 7)
    assert.isTrue(starts <= at && at < ends)
    assert.deepStrictEqual([monthShown(starts), monthShown(ends - 1)], [monthShown(at), monthShown(at)])
    assert.isTrue(monthShown(starts - 1) < monthShown(at) && monthShown(ends) > monthShown(at))
    assert.strictEqual(dayOf(starts, zone).starts, starts)
  })

  it.each([
    ["Europe/Berlin", "2026-03-29T12:00Z", 23],
    ["Europe/Berlin", "2026-10-25T12:00Z", 25],
    ["America/Los_Angeles", "2026-03-08T12:00Z", 23],
    ["America/Los_Angeles", "2026-11-01T12:00Z", 25],
    ["Africa/Cairo", "2026-04-24T12:00Z", 23],
    ["Australia/Lord_Howe", "2026-04-05T00:00Z", 24.5],
    ["Pacific/Kiritimati", "2026-04-24T12:00Z", 24]
  ])("in %s at %s has %d hours", (zone, at, hours) => {
    const { starts, ends } = dayOf(Date.parse(at), zone)
    assert.strictEqual((ends - starts) / 3_600_000, hours)
  })

  it.each(["America/Havana", "Europe/Berlin", "Africa/Cairo", "Australia/Lord_Howe"])("all of a year in %s", (zone) => {
    const days: Array<string> = []
    let at = dayOf(Date.parse("2026-01-01T12:00Z"), zone).starts
    while (visible(at, zone) < "2027") {
      days.push(visible(at, zone))
      at = dayOf(at, zone).ends
    }
    const calendar = Array.from({ length: 365 }, (_, index) =>
      new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10)
    )
    assert.deepStrictEqual(days, calendar)
  })

  it("a date that a zone left out has none", () => {
    const before = dayOf(Date.parse("2011-12-30T09:59:59.999Z"), "Pacific/Apia")
    assert.strictEqual(visible(before.starts, "Pacific/Apia"), "2011-12-29")
    assert.strictEqual(visible(before.ends, "Pacific/Apia"), "2011-12-31")
  })

  it("clocks that go back over midnight do not tear a day", () => {
    const zone = "America/St_Johns" // at 00:01 to 23:01, until 2011
    for (let at = Date.parse("2010-11-07T00:00Z"); at < Date.parse("2010-11-07T06:00Z"); at += 20_000) {
      const { starts, ends } = dayOf(at, zone)
      assert.isTrue(starts <= at && at < ends && ends - starts <= 25.1 * (day / 24))
      assert.deepStrictEqual(
        [dayOf(starts, zone), dayOf(ends - 1, zone)],
        [
          { starts, ends },
          { starts, ends }
        ]
      )
    }
  })
})
