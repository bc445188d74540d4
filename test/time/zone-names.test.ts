import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UnknownTimeZoneError } from '../../src/errors.ts';
import { zoneOf } from '../../src/time/zone.ts';

describe('B2 the name of a zone', () => {
  const words = (text: string): string[] => text.trim().split(/\s+/);

  test('B2 stays what was given, its letter case mended, although the runtime goes by another', () => {
    // Links of the tz database that are spelt in every way there is; the runtime answers with their targets.
    const links = words(`
      Asia/Kolkata Europe/Kyiv Asia/Ho_Chi_Minh Asia/Kathmandu America/Argentina/Buenos_Aires America/Argentina/ComodRivadavia
      America/Knox_IN Australia/ACT Australia/LHI Australia/NSW Brazil/DeNoronha CET CST6CDT Chile/EasterIsland EET EST EST5EDT
      Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/UCT Etc/UTC Etc/Zulu GB GB-Eire GMT GMT+0 GMT0 HST MET MST MST7MDT Mexico/BajaNorte
      Mexico/BajaSur NZ NZ-CHAT PRC PST8PDT ROC ROK UCT US/East-Indiana US/Pacific UTC W-SU WET Zulu Antarctica/McMurdo
      America/Port-au-Prince Africa/Dar_es_Salaam Europe/Isle_of_Man Antarctica/DumontDUrville Etc/GMT+3 Etc/GMT-14`);
    for (const name of [...links, ...Intl.supportedValuesOf('timeZone')]) {
      for (const written of [name, name.toLowerCase(), name.toUpperCase()]) {
        assert.equal(zoneOf(written).name, name);
        assert.equal(zoneOf(written), zoneOf(name), 'and one name is one object');
      }
    }
  });

  test('B2 the names of one zone share its segments', () => {
    const at = Date.UTC(1990, 0, 1);
    assert.equal(zoneOf('Asia/Kolkata').at(at), zoneOf('Asia/Calcutta').at(at));
    assert.equal(zoneOf('Etc/UTC').at(at), zoneOf('UTC').at(at));
  });

  test('B2 what ICU knows and the tz database does not is no zone: abbreviations of old Javas, SystemV', () => {
    const abbreviations =
      'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST';
    const systemV =
      'SystemV/AST4 SystemV/AST4ADT SystemV/EST5EDT SystemV/HST10 SystemV/PST8PDT SystemV/YST9YDT systemv/pst8';
    for (const written of words(`${abbreviations} ${abbreviations.toLowerCase()} ${systemV}`)) {
      assert.throws(
        () => zoneOf(written),
        (error) => {
          assert.ok(error instanceof UnknownTimeZoneError, written);
          for (const suggestion of error.suggestions) assert.equal(zoneOf(suggestion).name, suggestion);
          return true;
        },
      );
    }
  });

  for (const [written, meant] of [
    ['BST', 'Europe/London'],
    ['PST', 'America/Los_Angeles'],
    ['IST', 'Asia/Kolkata'],
    ['cst', 'America/Chicago'],
    ['JST', 'Asia/Tokyo'],
    ['AST', 'America/Halifax'],
    ['SST', 'Pacific/Pago_Pago'],
    ['SystemV/PST8PDT', 'America/Los_Angeles'],
  ] as const) {
    test(`G1 ${written} is refused, and ${meant} suggested`, () => {
      assert.throws(() => zoneOf(written), { name: 'UnknownTimeZoneError', message: /did you mean/ });
      assert.throws(
        () => zoneOf(written),
        (error) => error instanceof UnknownTimeZoneError && error.suggestions[0] === meant,
      );
    });
  }
});
