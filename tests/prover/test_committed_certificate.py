"""The certificate that is committed."""

from sonnx_formal.prover.certificate import certificate_path, read_certificate
from sonnx_formal.prover.sources import find_library, library_sha256


def test_it_is_of_the_library_as_it_is() -> None:
    """If it fails, run `make prove` and commit `why3/proofs.json`."""
    certificate = read_certificate(certificate_path(find_library()))
    assert certificate
    assert certificate.library_sha256 == library_sha256(find_library())
