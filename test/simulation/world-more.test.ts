/** The second half of the short form of `npm run campaign -- worlds`. */
import { testAThousandWorlds } from './short-form.ts';

testAThousandWorlds(1001);
