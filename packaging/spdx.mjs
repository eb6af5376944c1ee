// Lists the files of a folder, with sums and licences, in the form that SPDX 2.3 defines.
//
//   node packaging/spdx.mjs FOLDER VERSION DATE > OUT.json

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const [folder, version, date] = process.argv.slice(2);
const sha1 = (bytes) => createHash('sha1').update(bytes).digest('hex');
const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name))).sort();
const files = names.map((name, i) => ({
  SPDXID: `SPDXRef-File-${i}`,
  fileName: `./${name}`,
  checksums: [{ algorithm: 'SHA1', checksumValue: sha1(readFileSync(path.join(folder, name))) }],
  // The report's page has Apache ECharts, what that needs, and a typeface in it.
  licenseConcluded: name === 'report/page_template.cpp'
    ? 'MIT AND Apache-2.0 AND BSD-3-Clause AND 0BSD AND OFL-1.1' : 'MIT',
  copyrightText: 'NOASSERTION',
}));
const code = sha1(files.map((file) => file.checksums[0].checksumValue).sort().join(''));
console.log(JSON.stringify({
  spdxVersion: 'SPDX-2.3', dataLicense: 'CC0-1.0', SPDXID: 'SPDXRef-DOCUMENT',
  name: `mallard-${version}`, documentNamespace: `urn:mallard:${version}:${code}`,
  creationInfo: {
    created: new Date(date).toISOString().replace(/\.\d+/, ''),
    creators: ['Organization: The Mallard authors'],
  },
  packages: [{
    SPDXID: 'SPDXRef-Package', name: 'mallard', versionInfo: version, downloadLocation: 'NOASSERTION',
    filesAnalyzed: true, packageVerificationCode: { packageVerificationCodeValue: code },
    licenseConcluded: 'MIT', licenseDeclared: 'MIT', copyrightText: '2026 The Mallard authors',
  }],
  files,
  relationships: [
    { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: 'SPDXRef-Package' },
    ...files.map((file) => ({
      spdxElementId: 'SPDXRef-Package', relationshipType: 'CONTAINS', relatedSpdxElement: file.SPDXID,
    })),
  ],
}, null, 1));
