"""Where a name may lead."""

import pytest

from clausegraph.core.errors import SettingsError
from clausegraph.ingestion.fetch.guard import AddressGuard, AddressRefusedError, UnknownHostError, WebLimits

PUBLIC = "93.184.216.34"
FORBIDDEN = [
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a9fe:a9fe::", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "ff02::1",
    "fec0::1", "2001:db8::1", "2001:0:7f00:1::1",
]  # fmt: skip


@pytest.mark.parametrize("address", FORBIDDEN)
def test_what_is_not_public_is_refused(address: str) -> None:
    guard = AddressGuard(WebLimits(), lambda host, port: [address])
    with pytest.raises(AddressRefusedError, match=r"no public address"):
        guard.checked("pages.example", 80)


@pytest.mark.parametrize("address", [PUBLIC, "2606:2800:220:1:248:1893:25c8:1946"])
def test_public_addresses_are_reached(address: str) -> None:
    assert AddressGuard(WebLimits(), lambda host, port: [address]).checked("pages.example", 80) == [address]


def test_one_forbidden_answer_among_public_ones_refuses_the_name() -> None:
    guard = AddressGuard(WebLimits(), lambda host, port: [PUBLIC, "10.0.0.1"])
    with pytest.raises(AddressRefusedError, match=r"pages\.example is 10\.0\.0\.1"):
        guard.checked("pages.example", 80)


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f.1", "127.1", "0177.0.0.1", "localhost", "[::1]", "[::ffff:7f00:1]"]
)
def test_other_ways_to_write_this_machine_are_refused(host: str) -> None:
    with pytest.raises(AddressRefusedError):
        AddressGuard(WebLimits()).checked(host, 80)


def test_networks_and_hosts_that_are_allowed() -> None:
    guard = AddressGuard(WebLimits(allow=("10.1.0.0/16", "intranet.example")), lambda host, port: {
        "a": ["10.1.2.3"], "b": ["10.2.0.1"], "intranet.example": ["192.168.0.9"],
    }[host])  # fmt: skip
    assert guard.checked("a", 80) == ["10.1.2.3"]
    assert guard.checked("INTRANET.example.", 80) == ["192.168.0.9"]
    with pytest.raises(AddressRefusedError):
        guard.checked("b", 80)


def test_named_addresses_are_not_looked_up_and_still_checked() -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise AssertionError(host)

    limits = WebLimits(names={"Policy.test": (PUBLIC,), "inner.test": ("127.0.0.1",)})
    guard = AddressGuard(limits, resolve)
    assert guard.checked("policy.test", 80) == [PUBLIC]
    with pytest.raises(AddressRefusedError):
        guard.checked("inner.test", 80)


def test_a_name_without_an_address_is_unknown() -> None:
    with pytest.raises(UnknownHostError, match="has no network address"):
        AddressGuard(WebLimits(), lambda host, port: []).checked("pages.example", 80)
    with pytest.raises(UnknownHostError, match="cannot be looked up"):
        AddressGuard(WebLimits()).checked("no-such-host.invalid", 80)


@pytest.mark.parametrize("entry", ["10.0.0.0/33", " 10.0.0.0/8", "https://intra", "intra:8080", "10.0.0"])
def test_what_is_allowed_is_a_network_or_a_host(entry: str) -> None:
    with pytest.raises(SettingsError, match="is no network and no host; CLAUSEGRAPH_WEB_ALLOW"):
        AddressGuard(WebLimits(allow=(entry,)))


def test_a_setting_that_is_no_address_is_named() -> None:
    with pytest.raises(SettingsError, match="'over there' is no network address"):
        AddressGuard(WebLimits(names={"a": ("over there",)}))
